# SPDX-License-Identifier: Apache-2.0
"""The table of old names, held against what the old versions had (tests of install use it)."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import tf_keras

from compat_lossscale import experimental, policies, v1
from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale
from compat_lossscale.legacy import old_names
from compat_lossscale.legacy.install import names_on_tf_keras

PUBLIC, EXPERIMENTAL = type("Public", (), {}), type("Experimental", (), {})
NAMES = dataclasses.replace(
    names_on_tf_keras(legacy_optimizers=True), optimizer=PUBLIC, experimental_optimizer=EXPERIMENTAL
)
TABLES = old_names.tables(NAMES)
PRIVATE = old_names.private_table(NAMES)
LOSS_SCALES = {
    "LossScale": LossScale,
    "FixedLossScale": FixedLossScale,
    "DynamicLossScale": DynamicLossScale,
}


def test_every_root_has_the_names_of_keras() -> None:
    assert set(TABLES) == {"tensorflow", "tensorflow.compat.v1", "tensorflow.compat.v2"}
    for table in TABLES.values():
        assert table["keras.mixed_precision"] == {"LossScaleOptimizer": PUBLIC}
        assert table["keras.mixed_precision.experimental"] == {
            "LossScaleOptimizer": EXPERIMENTAL,
            "Policy": experimental.Policy,
            "get_layer_policy": experimental.get_layer_policy,
            "global_policy": experimental.global_policy,
            "set_policy": experimental.set_policy,
        }


def test_every_root_has_the_loss_scales_in_both_places_and_the_graph_rewrite() -> None:
    for table in TABLES.values():
        assert table["mixed_precision.experimental"] == LOSS_SCALES
        assert LOSS_SCALES.items() <= table["train.experimental"].items()
        for name in ("enable", "disable"):
            name = f"{name}_mixed_precision_graph_rewrite"  # noqa: PLW2901  # its longer form
            assert table["train.experimental"][name] is getattr(v1, name)


def test_only_v1_has_the_v1_optimizer() -> None:
    for root, table in TABLES.items():
        has_it = "MixedPrecisionLossScaleOptimizer" in table["train.experimental"]
        assert has_it == (root == "tensorflow.compat.v1")
    assert set(TABLES["tensorflow.compat.v1"]["mixed_precision"]) == set(v1.__all__)


def test_private_modules_that_programs_import_are_there() -> None:
    mixed = "keras.mixed_precision"
    for place, optimizer in (("", PUBLIC), (".experimental", EXPERIMENTAL)):
        optimizers = PRIVATE[f"{mixed}{place}.loss_scale_optimizer"]
        assert optimizers["LossScaleOptimizer"] is optimizer
        assert optimizers["LossScaleOptimizerV1"] is EXPERIMENTAL
        functions = PRIVATE[f"{mixed}{place}.policy"]
        assert functions["PolicyV1"] is experimental.Policy
        assert functions["policy_scope"] is policies.policy_scope
        assert functions["set_policy"] is experimental.set_policy
    keras = tf_keras.mixed_precision
    assert PRIVATE[f"{mixed}.policy"]["Policy"] is keras.Policy
    assert PRIVATE[f"{mixed}.policy"]["global_policy"] is keras.global_policy
    assert PRIVATE[f"{mixed}.experimental.policy"]["Policy"] is experimental.Policy
    assert PRIVATE[f"{mixed}.experimental.policy"]["global_policy"] is experimental.global_policy
    assert PRIVATE["training.experimental.loss_scale"] == LOSS_SCALES
    assert set(PRIVATE["training.experimental.loss_scale_optimizer"]) == {
        "MixedPrecisionLossScaleOptimizer"
    }
    rewrite = PRIVATE["training.experimental.mixed_precision"]
    for name in ("enable", "disable"):
        full = f"{name}_mixed_precision_graph_rewrite"
        assert rewrite[full] is rewrite[f"{full}_v1"] is getattr(v1, full)


@pytest.mark.parametrize("place", ["", ".experimental"])
def test_helpers_in_the_private_modules_answer(place: str) -> None:
    def helper(module: str, name: str) -> Any:
        return PRIVATE[f"keras.mixed_precision{place}.{module}"][name]

    assert helper("loss_scale_optimizer", "strategy_supports_loss_scaling")() is True
    assert helper("loss_scale_optimizer", "_UnwrapPreventer")([1]).value == [1]
    assert helper("loss_scale_optimizer", "_op_in_graph_mode")(5) == 5
    given = experimental.Policy("mixed_float16", 8)
    again = helper("policy", "deserialize")(helper("policy", "serialize")(given))
    assert again.loss_scale() == 8
    layer = tf_keras.layers.Dense(1, dtype=given)
    assert helper("get_layer_policy", "get_layer_policy")(layer) is given
    layer.build((1, 1))
    assert isinstance(layer.kernel, helper("autocast_variable", "AutoCastVariable"))
    assert callable(helper("device_compatibility_check", "log_device_compatibility_check"))
    assert helper("loss_scale", "get")(8)() == 8


def test_no_name_is_missing_its_value() -> None:
    for table in (*TABLES.values(), PRIVATE):
        for names in table.values():
            assert all(value is not None for value in names.values())

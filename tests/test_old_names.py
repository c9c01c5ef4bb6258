# SPDX-License-Identifier: Apache-2.0
"""The table of old names, held against what the old versions had (tests of install use it)."""

from __future__ import annotations

from compat_lossscale import experimental, old_names, policy, v1
from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale

PUBLIC, EXPERIMENTAL = type("Public", (), {}), type("Experimental", (), {})
TABLES = old_names.tables(PUBLIC, EXPERIMENTAL)
PRIVATE = old_names.private_table(PUBLIC, EXPERIMENTAL)
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
            name = f"{name}_mixed_precision_graph_rewrite"  # noqa: PLW2901
            assert table["train.experimental"][name] is getattr(v1, name)


def test_only_v1_has_the_v1_optimizer() -> None:
    for root, table in TABLES.items():
        has_it = "MixedPrecisionLossScaleOptimizer" in table["train.experimental"]
        assert has_it == (root == "tensorflow.compat.v1")
    assert set(TABLES["tensorflow.compat.v1"]["mixed_precision"]) == set(v1.__all__)


def test_private_modules_that_programs_import_are_there() -> None:
    mixed = "keras.mixed_precision"
    assert PRIVATE[f"{mixed}.loss_scale_optimizer"] == {
        "LossScaleOptimizer": PUBLIC,
        "LossScaleOptimizerV1": EXPERIMENTAL,
    }
    assert PRIVATE[f"{mixed}.experimental.loss_scale_optimizer"] == {
        "LossScaleOptimizer": EXPERIMENTAL
    }
    assert PRIVATE[f"{mixed}.experimental.policy"]["policy_scope"] is policy.policy_scope
    assert PRIVATE[f"{mixed}.experimental.policy"]["Policy"] is experimental.Policy
    assert PRIVATE["training.experimental.loss_scale"] == LOSS_SCALES
    assert set(PRIVATE["training.experimental.loss_scale_optimizer"]) == {
        "MixedPrecisionLossScaleOptimizer"
    }
    rewrite = PRIVATE["training.experimental.mixed_precision"]
    for name in ("enable", "disable"):
        full = f"{name}_mixed_precision_graph_rewrite"
        assert rewrite[full] is rewrite[f"{full}_v1"] is getattr(v1, full)


def test_no_name_is_missing_its_value() -> None:
    for table in (*TABLES.values(), PRIVATE):
        for names in table.values():
            assert all(value is not None for value in names.values())

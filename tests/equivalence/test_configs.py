# SPDX-License-Identifier: Apache-2.0
"""Whether two configs have the same meaning, and conversion without loss."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_lossscale.equivalence import configs_equivalent, convert_config
from compat_lossscale.errors import ConfigFormatError, InexpressibleLossScaleError
from compat_lossscale.spec import Generation, LossScaleSpec
from tests.formats.samples import ARTEFACTS, SGD, doubling, inner_optimizers, tf23
from tests.support import run_code

DYNAMIC = {"class_name": "DynamicLossScale", "config": {"initial_loss_scale": 32768}}


def later(**config: Any) -> dict[str, Any]:
    return {"inner_optimizer": SGD, **config}


@pytest.mark.parametrize(
    ("a", "b"),
    [
        # "dynamic" is DynamicLossScale() is dynamic=True is what Keras 3 always does.
        ({"optimizer": SGD, "loss_scale": "dynamic"}, later(dynamic=True)),
        ({"optimizer": SGD, "loss_scale": DYNAMIC}, later(dynamic=True)),
        (later(initial_scale=32768.0), later(dynamic=True, dynamic_growth_steps=2000)),
        # A number is FixedLossScale(number) is dynamic=False.
        (
            {"optimizer": SGD, "loss_scale": 128},
            {
                "optimizer": SGD,
                "loss_scale": {"class_name": "FixedLossScale", "config": {"loss_scale_value": 128}},
            },
        ),
        ({"optimizer": SGD, "loss_scale": 128}, later(dynamic=False, initial_scale=128.0)),
        # Bare or serialized, under any of its class names.
        (
            later(dynamic=True),
            {"class_name": "LossScaleOptimizerV1", "config": later(dynamic=True)},
        ),
    ],
)
def test_the_documented_spellings_of_one_loss_scale_are_equivalent(
    a: dict[str, Any], b: dict[str, Any]
) -> None:
    assert configs_equivalent(a, b)
    assert configs_equivalent(b, a)


@pytest.mark.parametrize(
    "b",
    [
        later(dynamic=True, initial_scale=2.0),
        later(dynamic=True, dynamic_growth_steps=3),
        later(dynamic=False, initial_scale=32768.0),
        {"optimizer": SGD, "loss_scale": LossScaleSpec(multiplier=4).to_loss_scale_config()},
        {"inner_optimizer": {**SGD, "class_name": "Adam"}, "dynamic": True},
        {"inner_optimizer": {**SGD, "config": {"learning_rate": 0.25}}, "dynamic": True},
        {"dynamic": True},
    ],
)
def test_configs_that_train_differently_are_not_equivalent(b: dict[str, Any]) -> None:
    assert not configs_equivalent(later(dynamic=True), b)


def test_names_defaults_families_and_float32_rounding_make_no_difference() -> None:
    a = {"class_name": "SGD", "config": {"learning_rate": 0.1, "name": "SGD", "decay": 0.0}}
    b = {
        "module": "keras.optimizers",
        "class_name": "sgd",
        "config": {
            "learning_rate": 0.10000000149011612,
            "name": "sgd_1",
            "weight_decay": None,
            "jit_compile": True,
        },
        "registered_name": None,
    }
    assert configs_equivalent(
        {"inner_optimizer": a, "dynamic": True},
        {"inner_optimizer": b, "initial_scale": 32768.0, "name": "loss_scale_optimizer"},
    )


def test_a_config_without_a_loss_scale_is_an_error() -> None:
    with pytest.raises(ConfigFormatError):
        configs_equivalent(later(dynamic=True), SGD)


@given(doubling, inner_optimizers, st.sampled_from(list(Generation)))
def test_a_converted_config_is_equivalent(
    spec: LossScaleSpec, inner: Any, generation: Generation
) -> None:
    config = tf23(inner, spec)
    assert configs_equivalent(config, convert_config(config, to=generation.value))


def test_converting_does_not_change_the_config_given() -> None:
    config = tf23(SGD, LossScaleSpec())
    before = copy.deepcopy(config)
    convert_config(config, to="keras3")
    assert config == before


def test_what_cannot_be_said_is_an_error_that_says_what_and_why() -> None:
    with pytest.raises(InexpressibleLossScaleError, match=r"Keras 3 cannot .* multiplier: .*4"):
        convert_config(tf23(SGD, LossScaleSpec(multiplier=4)), to="keras3")
    with pytest.raises(ValueError, match="tf1"):
        convert_config(later(dynamic=True), to="tf1")


def test_the_same_optimizer_written_by_every_version_is_equivalent() -> None:
    configs = []
    for version in ("2.0", "2.1", "2.2", "2.3", "2.4", "2.5", "2.10", "2.15", "2.16", "2.21"):
        recorded = json.loads((ARTEFACTS / version / "configs.json").read_text())["artefact"]
        configs += [recorded["sgd-dynamic"]["get_config"], recorded["sgd-dynamic"]["serialize"]]
    assert all(configs_equivalent(configs[0], config) for config in configs)


def test_comparing_configs_imports_no_tensorflow() -> None:
    run_code(
        """
        import sys
        from compat_lossscale.equivalence import configs_equivalent
        assert configs_equivalent({"loss_scale_value": 8}, {"dynamic": False, "initial_scale": 8})
        assert "tensorflow" not in sys.modules
        """
    )


def test_what_would_lose_a_setting_of_the_optimizer_is_not_converted() -> None:
    clipping = {**SGD, "config": {**SGD["config"], "clipnorm": 1.0}}
    with pytest.raises(InexpressibleLossScaleError, match="refuse to wrap"):
        convert_config({"inner_optimizer": clipping, "dynamic": True}, to="tf2.3")


def test_a_config_that_has_itself_in_it_is_an_error() -> None:
    config: dict[str, Any] = {"inner_optimizer": {"class_name": "SGD"}, "dynamic": True}
    config["inner_optimizer"]["config"] = {"hook": config}
    for read in (
        lambda: convert_config(config, to="keras3"),
        lambda: configs_equivalent(config, {}),
    ):
        with pytest.raises(ConfigFormatError, match="has itself in it"):
            read()

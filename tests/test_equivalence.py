# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_lossscale.equivalence import configs_equivalent, convert_config
from compat_lossscale.equivalence.optimizers import _has_known_schedule
from compat_lossscale.errors import ConfigFormatError, InexpressibleLossScaleError
from compat_lossscale.spec import Generation, LossScaleSpec
from tests.formats.samples import ARTEFACTS, SGD, doubling, import_tf_keras, inner_optimizers, tf23
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
    with pytest.raises(InexpressibleLossScaleError, match=r"Keras 3 cannot .* dynamic: .*8"):
        convert_config({"optimizer": SGD, "loss_scale": 8}, to="keras3")
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


# --- with TensorFlow ------------------------------------------------------------------------------


@pytest.fixture
def sgd() -> Any:
    tf_keras = import_tf_keras()
    return lambda **kwargs: tf_keras.optimizers.legacy.SGD(0.5, momentum=0.5, **kwargs)


def test_two_spellings_of_one_optimizer_do_the_same(sgd: Any) -> None:
    from compat_lossscale import LossScaleOptimizer
    from compat_lossscale.equivalence import assert_equivalent
    from compat_lossscale.experimental import LossScaleOptimizer as Experimental

    assert_equivalent(Experimental(sgd(), "dynamic"), LossScaleOptimizer(sgd()))
    assert_equivalent(Experimental(sgd(), 8), LossScaleOptimizer(sgd(), False, 8))


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"initial_scale": 2.0}, "after step 0, loss_scale is 32768.0 in one and 2.0 in the other"),
        ({"dynamic_growth_steps": 3}, "and 65536.0 in the other"),
        ({"dynamic": False, "initial_scale": 32768.0}, "dynamic_counter"),
    ],
)
def test_two_optimizers_that_differ_are_told_apart(
    kwargs: dict[str, Any], message: str, sgd: Any
) -> None:
    from compat_lossscale import LossScaleOptimizer
    from compat_lossscale.equivalence import assert_equivalent

    with pytest.raises(AssertionError, match=message):
        assert_equivalent(LossScaleOptimizer(sgd()), LossScaleOptimizer(sgd(), **kwargs))


def test_optimizers_whose_variables_part_are_told_apart(sgd: Any) -> None:
    from compat_lossscale import LossScaleOptimizer
    from compat_lossscale.equivalence import assert_equivalent

    with pytest.raises(AssertionError, match=r"after step .*, variables is"):
        assert_equivalent(LossScaleOptimizer(sgd()), LossScaleOptimizer(sgd(nesterov=True)))


@pytest.mark.parametrize("version", ["2.0", "2.4", "2.15", "2.21"])
def test_every_recorded_config_trains_here_as_in_stock_tf_keras(version: str) -> None:
    import_tf_keras()
    from compat_lossscale.equivalence import StockOutcome, compare_with_stock

    recorded = json.loads((ARTEFACTS / version / "configs.json").read_text())["artefact"]
    for name in ("sgd-dynamic", "adam-fixed"):
        comparison = compare_with_stock(recorded[name]["get_config"], seeds=(0,), steps=20)
        assert comparison.outcome is StockOutcome.EQUAL, comparison


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        (tf23(SGD, LossScaleSpec(multiplier=4)), "multiplier"),
        ({"loss_scale_value": 8}, "wraps no optimizer"),
        (later(dynamic=True) | {"inner_optimizer": {**SGD, "class_name": "Own"}}, "not Keras' own"),
    ],
)
def test_what_stock_tf_keras_cannot_have_is_not_compared_and_the_reason_is_given(
    config: dict[str, Any], reason: str
) -> None:
    import_tf_keras()
    from compat_lossscale.equivalence import StockOutcome, compare_with_stock

    comparison = compare_with_stock(config)
    assert comparison.outcome is StockOutcome.NOT_COMPARED
    assert reason in comparison.reason


def test_a_config_with_impossible_settings_is_different_and_not_a_traceback() -> None:
    import_tf_keras()
    from compat_lossscale.equivalence import StockOutcome, compare_with_stock

    inner = {**SGD, "config": {"learning_rate": "fast", "absurd": []}}
    comparison = compare_with_stock({"inner_optimizer": inner, "dynamic": True})
    assert comparison.outcome is StockOutcome.DIFFERENT
    assert "cannot be built" in comparison.reason


def test_only_schedules_of_keras_are_built() -> None:
    assert _has_known_schedule({"learning_rate": 0.1})
    assert _has_known_schedule({"learning_rate": {"class_name": "CosineDecay", "config": {}}})
    assert not _has_known_schedule({"learning_rate": {"class_name": "Mine", "config": {}}})


def test_what_would_lose_a_setting_of_the_optimizer_is_not_converted() -> None:
    clipping = {**SGD, "config": {**SGD["config"], "clipnorm": 1.0}}
    with pytest.raises(InexpressibleLossScaleError, match="refuse to wrap"):
        convert_config({"inner_optimizer": clipping, "dynamic": True}, to="tf2.3")

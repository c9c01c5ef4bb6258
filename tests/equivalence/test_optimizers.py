# SPDX-License-Identifier: Apache-2.0
"""Whether two optimizers behave the same."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compat_lossscale.equivalence import _has_known_schedule
from compat_lossscale.spec import LossScaleSpec
from tests.formats.samples import ARTEFACTS, SGD, import_tf_keras, tf23

DYNAMIC = {"class_name": "DynamicLossScale", "config": {"initial_loss_scale": 32768}}


def later(**config: Any) -> dict[str, Any]:
    return {"inner_optimizer": SGD, **config}


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

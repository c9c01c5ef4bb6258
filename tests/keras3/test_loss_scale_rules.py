# SPDX-License-Identifier: Apache-2.0
"""`rule=` on Keras 3's front end, on the backend in use."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import keras
import pytest

from compat_lossscale import LossScaleRule
from compat_lossscale.errors import LossScaleArgumentError, LossScaleStuckError
from compat_lossscale.formats.reading import read
from compat_lossscale.keras3 import LossScaleLogger, LossScaleOptimizer
from compat_lossscale.spec import ScaleState, next_state
from tests.keras3.stepping import BACKEND, MODES, stepper, variables_of
from tests.support import NAN

RULES = {
    "torch": LossScaleRule.torch(growth_interval=2),
    "deepspeed": LossScaleRule.deepspeed(scale_window=3, raise_error_at_min_scale=False),
    "consecutive": LossScaleRule(growth_steps=2, hysteresis=3, consecutive_hysteresis=True),
    "apex": LossScaleRule.apex(scale_window=2, min_loss_scale=3.0),
    "megatron": LossScaleRule.megatron(growth_interval=3, hysteresis=4),
    "keras3": LossScaleRule.keras3(dynamic_growth_steps=2),
}


def make(rule: LossScaleRule, **arguments: Any) -> tuple[Any, list[Any]]:
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(0.0), rule=rule, **arguments)
    variables = variables_of([1.0])
    optimizer.build(variables)
    return optimizer, variables


def state_of(optimizer: Any) -> ScaleState:
    names = ("dynamic_scale", "step_counter", "hysteresis_left")
    values = [getattr(optimizer, name, None) for name in names]
    return ScaleState(
        *(None if one is None else keras.ops.convert_to_numpy(one).item() for one in values)
    )


@pytest.mark.sampled(4)
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize("mode", MODES)
def test_every_way_to_run_a_step_moves_by_the_pure_rule(mode: str, rule: LossScaleRule) -> None:
    optimizer, variables = make(rule, initial_scale=2.0**10)
    step = stepper(optimizer, variables, mode)
    expected, chance = state_of(optimizer), random.Random(3)
    for number in range(300 if mode == "jit" else 45):
        finite = chance.random() > (0.1, 0.5, 0.25)[number // 15 % 3]
        step([0.0 if finite else NAN])
        expected = next_state(expected, finite, rule.numbers)
        assert state_of(optimizer) == expected


def test_configs_and_files_keep_the_rule_and_its_state(tmp_path: Path) -> None:
    rule = RULES["megatron"]
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    model.compile(LossScaleOptimizer(keras.optimizers.SGD(0.0), rule=rule), "mse")
    model.optimizer.build(model.trainable_variables)
    model.optimizer.hysteresis_left.assign(2)
    path = str(tmp_path / "model.keras")
    model.save(path)
    loaded = keras.saving.load_model(path).optimizer
    assert loaded.loss_scale_rule == rule
    assert int(keras.ops.convert_to_numpy(loaded.hysteresis_left)) == 2
    artefact = read(path)
    assert [stated.spec.rule for stated in artefact.configs] == [rule]
    assert artefact.states[0].hysteresis_left == 2


def test_a_default_rule_adds_nothing() -> None:
    plain, with_rule = (
        LossScaleOptimizer(keras.optimizers.SGD(0.0), name="a", **arguments).get_config()
        for arguments in ({}, {"rule": LossScaleRule()})
    )
    del plain["inner_optimizer"], with_rule["inner_optimizer"]
    assert with_rule == plain


def test_arguments_that_contradict_a_rule_are_refused() -> None:
    with pytest.raises(LossScaleArgumentError, match="fixed loss scale has no"):
        make(RULES["apex"], dynamic=False, initial_scale=2.0)
    with pytest.raises(LossScaleArgumentError, match=r"rule\.replace"):
        make(RULES["apex"], dynamic_growth_steps=3)


def test_a_rule_changes_while_training_where_nothing_is_compiled_in() -> None:
    rule = LossScaleRule(growth_steps=1, max_scale=16.0)
    optimizer, variables = make(rule, initial_scale=16.0)
    step, after = stepper(optimizer, variables, MODES[-1]), rule.replace(max_scale=64.0)
    step([0.0])
    if BACKEND == "jax":
        with pytest.raises(LossScaleArgumentError, match="compiled into the step"):
            optimizer.loss_scale_rule = after
        return
    optimizer.loss_scale_rule = after
    step([0.0])
    assert state_of(optimizer).scale == 32
    assert optimizer.get_config()["rule"] == after.to_config()


def test_a_floor_is_an_error_at_the_next_look() -> None:
    rule = LossScaleRule(min_scale=4.0, on_floor="raise")
    optimizer, variables = make(rule, initial_scale=4.0)
    logger = LossScaleLogger(every=1, optimizer=optimizer)
    logger.observe()
    step = stepper(optimizer, variables, MODES[-1])
    step([0.0])
    logger.observe()

    def skip_and_look() -> None:
        step([NAN])
        logger.observe()

    with pytest.raises(LossScaleStuckError, match="floor of its rule"):
        skip_and_look()

# SPDX-License-Identifier: Apache-2.0
"""`rule=` on Keras 3's front end, on the backend in use."""

from __future__ import annotations

import copy
import json
import os
import pickle
from collections.abc import Callable
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
from tests.reliability.rules import INITIAL, RULES, SHORT, random_steps
from tests.support import NAN


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
    optimizer, variables = make(rule, initial_scale=INITIAL)
    step = stepper(optimizer, variables, mode)
    expected = state_of(optimizer)
    count = 5 * SHORT if mode == "jit" else SHORT
    if (BACKEND, mode) == ("jax", "eager") and not os.environ.get("ALL_CASES"):
        count = SHORT // 3  # JAX compiles the branch of each step anew.
    for finite in random_steps(count):
        step([0.0 if finite else NAN])
        expected = next_state(expected, finite, rule.numbers)
        after = state_of(optimizer)
        if (BACKEND, mode) == ("jax", "jit") and rule is RULES["factors"]:
            # A constant divisor becomes a product with its reciprocal, rounded otherwise.
            assert after.scale == pytest.approx(expected.scale, rel=1e-6)
            expected = expected._replace(scale=after.scale)
        assert after == expected


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


@pytest.mark.parametrize("mode", MODES)
def test_a_floor_is_an_error_at_the_next_look(mode: str) -> None:
    rule = LossScaleRule(min_scale=4.0, on_floor="raise")
    optimizer, variables = make(rule, initial_scale=4.0)
    logger = LossScaleLogger(every=1, optimizer=optimizer)
    logger.observe()
    step = stepper(optimizer, variables, mode)
    step([0.0])
    logger.observe()

    def skip_and_look() -> None:
        step([NAN])
        logger.observe()

    with pytest.raises(Exception, match="floor of its rule") as caught:
        skip_and_look()
    in_function = BACKEND == "tensorflow" and mode == "function"
    assert isinstance(caught.value, LossScaleStuckError) != in_function


@pytest.mark.parametrize(
    "keep",
    [
        lambda one: LossScaleOptimizer.from_config(json.loads(json.dumps(one.get_config()))),
        copy.deepcopy,
        lambda one: pickle.loads(pickle.dumps(one)),
    ],
    ids=["json", "deepcopy", "pickle"],
)
def test_copies_keep_the_rule(keep: Callable[[Any], Any]) -> None:
    optimizer, _ = make(RULES["megatron"])
    kept = keep(optimizer)
    assert kept.loss_scale_rule == RULES["megatron"]
    kept.build(variables_of([1.0]))
    assert int(keras.ops.convert_to_numpy(kept.hysteresis_left)) == 4

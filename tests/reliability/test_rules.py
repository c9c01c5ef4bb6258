# SPDX-License-Identifier: Apache-2.0
"""Every kind of optimizer, in every way to run it, moves by every rule as the pure rule does."""

from __future__ import annotations

import dataclasses

import pytest
import tensorflow as tf

from compat_lossscale import LossScaleRule
from compat_lossscale.spec import ScaleState, next_state
from tests.reliability import rules
from tests.reliability.faults import MODES, mode_of
from tests.reliability.generations import GENERATIONS, Generation, Training
from tests.reliability.rules import RULES, SHORT, path, random_steps
from tests.support import NAN, scalar_spec

AT_FLOOR = {"on_floor", "floor_steps"}
"""Fields that say what happens, and not how the scale moves; they have tests of their own."""
MODES_OF = [
    pytest.param(generation, mode, id=f"{generation.name}-{mode}")
    for generation in GENERATIONS
    for mode in MODES
    if generation.runs_in(mode)
]
FIELDS = {field.name: field.default for field in dataclasses.fields(LossScaleRule)}


def fields_that_differ(rule: LossScaleRule) -> list[str]:
    return [
        name
        for name, default in FIELDS.items()
        if name not in AT_FLOOR and getattr(rule, name) != default
    ]


def test_each_field_differs_in_a_rule() -> None:
    differing = {name for rule in RULES.values() for name in fields_that_differ(rule)}
    assert differing == FIELDS.keys() - AT_FLOOR


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_each_field_that_differs_acts_within_a_short_run(rule: LossScaleRule) -> None:
    def scales(rule: LossScaleRule) -> list[float]:
        return [state.scale for state in path(rule, random_steps(SHORT))]

    for name in fields_that_differ(rule):
        assert scales(rule) != scales(rule.replace(**{name: FIELDS[name]})), name


@pytest.mark.grid(29)
@pytest.mark.parametrize(("generation", "mode_name"), MODES_OF)
@pytest.mark.parametrize("name", rules.NAMES)
def test_every_optimizer_moves_by_the_pure_rule(
    name: str, generation: Generation, mode_name: str
) -> None:
    with mode_of(mode_name) as mode:
        training = Training(generation, "momentum", {"v": [1.0]}, rules.loss_scale(name))
        (v,) = training.variables.values()
        step = mode.compile(
            lambda factor: training.step(lambda: factor * tf.reduce_sum(v), [v]), scalar_spec()
        )
        rule = rules.rule_of(name)
        expected = rules.start(rule)
        for finite in random_steps(SHORT):
            step(0.0 if finite else NAN)
            expected = next_state(expected, finite, rule.numbers)
            after = ScaleState(*(mode.value(one).item() for one in training.loss_scale_state))
            if mode_name == "graph" and name == "factors":
                # A constant divisor becomes a product with its reciprocal, rounded otherwise.
                assert after.scale == pytest.approx(expected.scale, rel=1e-6)
                expected = expected._replace(scale=after.scale)
            assert after == expected

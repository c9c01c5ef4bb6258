# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_lossscale.core import DynamicLossScale
from compat_lossscale.spec.update_rule import RuleNumbers, ScaleState, next_state
from tests.support import INF, NAN

GRADIENTS = {"good": 1.5, "nan": NAN, "inf": INF, "-inf": -INF}

# Normal float32 numbers: TensorFlow flushes smaller ones to zero.
float32s = st.floats(min_value=2.0**-100, max_value=float(np.finfo(np.float32).max), width=32)
rules = st.tuples(
    st.one_of(float32s, st.sampled_from([0.5, 1.0, 2.0**15, 2.0**126, 2.0**127])),
    st.integers(min_value=1, max_value=4),
    st.one_of(st.just(2.0), st.floats(min_value=1.0, max_value=64.0)),
)
# In a graph TensorFlow divides by a constant by multiplying by its reciprocal: the same for
# powers of 2. Of others, tests/core/test_loss_scale.py compares TensorFlow's own class.
rules_of_graphs = rules.map(lambda rule: (*rule[:2], 2.0 ** round(math.log2(rule[2]))))
histories = st.lists(st.sampled_from(sorted(GRADIENTS)), max_size=14)


def path(
    initial: float, growth_steps: int, multiplier: float, history: Iterable[str]
) -> list[tuple[float, int]]:
    """The states that the pure function gives."""
    scale, good_steps, states = initial, 0, []
    for kind in history:
        numbers = RuleNumbers.of_multiplier(growth_steps, multiplier)
        state = ScaleState(scale, good_steps)
        scale, good_steps, _ = next_state(state, kind == "good", numbers)
        states.append((scale, good_steps))
    return states


def test_the_scale_grows_after_growth_steps_good_steps_in_a_row() -> None:
    states = path(8.0, 3, 2.0, ["good"] * 6)
    assert states == [(8, 1), (8, 2), (16, 0), (16, 1), (16, 2), (32, 0)]


def test_a_bad_step_divides_the_scale_and_restarts_the_count() -> None:
    assert path(8.0, 3, 2.0, ["good", "good", "nan", "good"]) == [(8, 1), (8, 2), (4, 0), (4, 1)]


def test_a_division_by_zero_is_infinite_as_in_tensorflow() -> None:
    numbers = RuleNumbers.of_multiplier(3, 0.0)
    assert next_state(ScaleState(8.0, 0), False, numbers) == ScaleState(math.inf, 0)


def test_the_scale_does_not_fall_below_one() -> None:
    assert path(1.5, 3, 2.0, ["nan", "nan"]) == [(1, 0), (1, 0)]


def test_a_start_below_one_is_kept_until_the_first_bad_step() -> None:
    assert path(0.25, 9, 2.0, ["good", "nan"]) == [(0.25, 1), (1, 0)]


def test_a_growth_that_would_be_infinite_is_left_out_but_restarts_the_count() -> None:
    assert path(2.0**127, 2, 2.0, ["good", "good", "good"]) == [
        (2.0**127, 1),
        (2.0**127, 0),
        (2.0**127, 1),
    ]


def test_a_multiplier_other_than_two_counts_both_ways() -> None:
    assert path(8.0, 1, 4.0, ["good", "nan", "nan", "nan"]) == [(32, 0), (8, 0), (2, 0), (1, 0)]


@given(rules, histories)
def test_the_rule_computes_in_float32_to_the_bit(
    rule: tuple[float, int, float], history: list[str]
) -> None:
    scale, good_steps = np.float32(rule[0]), 0
    factor = np.float32(rule[2])
    expected = []
    with np.errstate(over="ignore"):
        for kind in history:
            if kind != "good":
                scale, good_steps = max(scale / factor, np.float32(1)), 0
            elif good_steps + 1 >= rule[1]:
                scale = scale * factor if np.isfinite(scale * factor) else scale
                good_steps = 0
            else:
                good_steps += 1
            expected.append((float(scale), good_steps))
    assert path(*rule, history) == expected


@given(rules, histories)
def test_the_scale_stays_finite_and_the_count_stays_below_growth_steps(
    rule: tuple[float, int, float], history: list[str]
) -> None:
    for scale, good_steps in path(*rule, history):
        assert math.isfinite(scale)
        assert 0 <= good_steps < rule[1]


def assert_follows_the_rule(
    rule: tuple[float, int, float], history: list[str], *, traced: bool
) -> None:
    loss_scale = DynamicLossScale(*rule)

    def step(gradient: tf.Tensor) -> tf.Tensor:
        return loss_scale.update([gradient, None, tf.ones([2])])[1]

    if traced:
        step = tf.function(step, input_signature=[tf.TensorSpec([], tf.float32)])
    for kind, (scale, good_steps) in zip(history, path(*rule, history), strict=True):
        should_apply = step(tf.constant(GRADIENTS[kind]))
        assert bool(should_apply) == (kind == "good")
        assert float(loss_scale()) == scale
        assert int(loss_scale.good_steps) == good_steps


@settings(max_examples=50, deadline=None)
@given(rules, histories)
def test_eager_code_follows_the_rule_exactly(
    rule: tuple[float, int, float], history: list[str]
) -> None:
    assert_follows_the_rule(rule, history, traced=False)


@settings(max_examples=40, deadline=None)
@given(rules_of_graphs, histories)
def test_a_function_follows_the_rule_exactly(
    rule: tuple[float, int, float], history: list[str]
) -> None:
    assert_follows_the_rule(rule, history, traced=True)


@settings(max_examples=15, deadline=None)
@given(rules_of_graphs, histories)
def test_the_graph_code_follows_the_rule_exactly_in_a_session(
    rule: tuple[float, int, float], history: list[str]
) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        loss_scale = DynamicLossScale(*rule)
        gradient = tf.compat.v1.placeholder(tf.float32, [])
        update, _ = loss_scale.update([gradient])
        session.run(tf.compat.v1.global_variables_initializer())
        states = []
        for kind in history:
            session.run(update, {gradient: GRADIENTS[kind]})
            scale, good_steps = session.run([loss_scale(), loss_scale.good_steps])
            states.append((float(scale), int(good_steps)))
        assert states == path(*rule, history)

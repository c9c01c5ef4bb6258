# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf

from compat_lossscale.steps.altered_gradients import are_zeroed, clipped_by


def found(alter: Callable[..., Any], fixed_scale: float | None = None) -> tuple[str | None, bool]:
    """What is found of the gradients of two variables, after something was done to them."""
    dense, table = tf.Variable([1.0, 2.0]), tf.Variable([[1.0], [2.0]])
    result: list[Any] = []

    @tf.function
    def differentiate(scale: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            clipped = tf.clip_by_value(dense, 0.0, 1.0) * tf.clip_by_norm(dense, 1.0)
            finite = tf.where(tf.math.is_nan(dense), 0.0, dense)
            rows = tf.gather(table, [0, 1])
            loss = tf.reduce_sum(clipped * finite) + tf.reduce_sum(rows * rows)
        gradients = tape.gradient(loss, [dense, table])
        with tf.name_scope("step"):
            gradients = alter(gradients, scale)
        result[:] = clipped_by(gradients, fixed_scale), are_zeroed(gradients)

    differentiate(tf.constant(8.0))
    return result[0], result[1]


def each(function: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda gradients, scale: [function(one) for one in gradients]


def values(function: Callable[[Any], Any]) -> Callable[..., Any]:
    """Does something to the values of the sparse gradient."""
    return lambda gradients, scale: [
        gradients[0],
        tf.IndexedSlices(function(gradients[1].values), gradients[1].indices),
    ]


@pytest.mark.parametrize(
    ("clip", "name"),
    [
        (values(lambda one: tf.clip_by_value(one, -1.0, 1.0)), "tf.clip_by_value"),
        (each(lambda one: tf.clip_by_norm(one, 1.0)), "tf.clip_by_norm"),
        (lambda g, s: tf.clip_by_global_norm(g, 5.0)[0], "tf.clip_by_global_norm"),
        (lambda g, s: tf.clip_by_global_norm(g[:1], 2.0 + 3.0)[0], "tf.clip_by_global_norm"),
    ],
)
def test_a_clipped_gradient_tells_by_what(clip: Callable[..., Any], name: str) -> None:
    assert found(clip) == (name, False)
    assert found(lambda g, s: [None, *clip(g, s)])[0] == name


def test_a_bound_that_is_scaled_too_is_right() -> None:
    variable = tf.Variable(8.0)
    assert found(lambda g, s: tf.clip_by_global_norm(g, 5.0 * s)[0]) == (None, False)
    assert found(lambda g, s: tf.clip_by_global_norm(g, 5.0 * variable)[0]) == (None, False)
    assert found(values(lambda one: tf.clip_by_norm(one, variable))) == (None, False)
    assert found(values(lambda one: tf.clip_by_value(one, -variable, 9.0))) == (None, False)
    assert found(
        lambda g, s: tf.clip_by_global_norm(g, 5.0 * tf.constant(8.0))[0], fixed_scale=8.0
    ) == (None, False)


@pytest.mark.parametrize(
    "alter",
    [
        each(lambda one: one),
        values(tf.identity),
        values(lambda one: tf.maximum(one, 0.0)),
        values(lambda one: tf.where(one > 1.0, one, 0.0)),
        values(lambda one: tf.where(tf.math.is_nan(tf.norm(one)), one, 0.0 * one)),
        lambda g, s: [tf.zeros([2]), None],
    ],
)
def test_other_gradients_are_as_they_should_be(alter: Callable[..., Any]) -> None:
    assert found(alter) == (None, False)


@pytest.mark.parametrize(
    "zero",
    [
        lambda one: tf.where(tf.math.is_finite(one), one, 0.0),
        lambda one: tf.where(tf.math.is_nan(one), tf.zeros_like(one), one),
        lambda one: tf.where(tf.math.is_nan(one) | tf.math.is_inf(one), 0.0, one),
        lambda one: tf.where(~tf.math.is_inf(one), one, tf.zeros_like(one)),
        lambda one: tf.compat.v1.where(tf.math.is_nan(one), tf.zeros_like(one), one),
    ],
)
def test_zeroed_gradients_are_found(zero: Callable[[Any], Any]) -> None:
    assert found(values(zero)) == (None, True)


def test_eager_gradients_do_not_tell() -> None:
    one = tf.constant([1.0, 2.0])
    assert clipped_by([tf.clip_by_norm(one, 1.0)], None) is None
    assert not are_zeroed([tf.where(tf.math.is_nan(one), 0.0, one), None])


def test_gradients_of_graphs_of_tensorflow_1() -> None:
    with tf.Graph().as_default():
        variable = tf.compat.v1.get_variable("v", [2])
        loss = tf.reduce_sum(tf.clip_by_norm(tf.clip_by_value(variable, 0.0, 1.0), 1.0))
        gradients = tf.compat.v1.gradients(loss, [variable])
        assert clipped_by(gradients, None) is None
        assert clipped_by([tf.clip_by_norm(gradients[0], 1.0)], None) == "tf.clip_by_norm"

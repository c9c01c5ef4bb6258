# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tf_keras

from compat_lossscale import LossScaleOptimizer
from compat_lossscale.core import turns

LARGE, MANY = [300, 300], 7


def waiting(graph: Any) -> list[list[str]]:
    """What the products in a graph's branches wait for."""
    return [
        [name for name in node.input if name.startswith("^")]
        for function in graph.as_graph_def().library.function
        for node in function.node_def
        if node.op == "Mul" and any(name.startswith("^") for name in node.input)
    ]


def trained(
    inner: Any, shape: list[int], dtype: str = "float32", **options: Any
) -> tuple[Any, list[Any]]:
    """The graph of a step, and what variables are after two of them."""
    variables = [tf.Variable(tf.fill(shape, float(number))) for number in range(MANY)]
    optimizer = LossScaleOptimizer(inner, initial_scale=8.0)

    @tf.function(**options)
    def step() -> None:
        scaled = [tf.cast(tf.ones_like(v) * 8, dtype) for v in variables]
        unscaled = optimizer.get_unscaled_gradients(scaled)
        unscaled = [tf.cast(gradient, tf.float32) for gradient in unscaled]
        optimizer.apply_gradients(list(zip(unscaled, variables, strict=True)))

    step()
    step()
    return step.get_concrete_function().graph, [variable.numpy() for variable in variables]


def bare(inner: Any, shape: list[int]) -> list[Any]:
    variables = [tf.Variable(tf.fill(shape, float(number))) for number in range(MANY)]
    for _ in range(2):
        inner.apply_gradients([(tf.ones_like(v), v) for v in variables])
    return [variable.numpy() for variable in variables]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("inner", ["Adadelta", "Adam", "Adagrad"])
def test_large_gradients_are_unscaled_by_turns(inner: str, dtype: str) -> None:
    make = getattr(tf_keras.optimizers.legacy, inner)
    graph, variables = trained(make(0.5), LARGE, dtype)
    assert [len(names) for names in waiting(graph)] == [1] * (MANY - turns._AT_ONCE)
    np.testing.assert_array_equal(variables, bare(make(0.5), LARGE))


@pytest.mark.parametrize(
    ("name", "shape", "config", "options"),
    [
        ("legacy.Adam", [9], {}, {}),
        ("Adam", LARGE, {}, {}),
        ("legacy.SGD", LARGE, {}, {}),
        ("legacy.Adam", LARGE, {}, {"jit_compile": True}),
        ("legacy.Adam", LARGE, {"clipnorm": 1.0}, {}),
        ("legacy.Adam", LARGE, {"global_clipnorm": 1.0}, {}),
    ],
    ids=[
        "small",
        "another family",
        "never unscaled",
        "XLA",
        "clipped by its norm",
        "clipped by all norms",
    ],
)
def test_there_are_no_turns_where_they_would_not_help_or_not_be_safe(
    name: str, shape: list[int], config: dict[str, float], options: dict[str, Any]
) -> None:
    make = operator.attrgetter(name)(tf_keras.optimizers)
    graph, variables = trained(make(0.5, **config), shape, **options)
    assert not waiting(graph)
    np.testing.assert_allclose(variables, bare(make(0.5, **config), shape), rtol=1e-6)


def test_a_step_after_which_a_gradient_is_used_again_has_no_turns() -> None:
    class Watched(tf_keras.optimizers.legacy.Adagrad):  # type: ignore[misc]  # Keras is untyped
        def apply_gradients(self, grads_and_vars: Any, **options: Any) -> Any:
            pairs = list(grads_and_vars)
            norm = tf.linalg.global_norm([gradient for gradient, _ in pairs])
            self.lr = tf.where(norm > 0, 0.5, 0.0)
            return super().apply_gradients(pairs, **options)

    graph, variables = trained(Watched(0.5), LARGE)
    assert not waiting(graph)
    np.testing.assert_array_equal(variables, bare(tf_keras.optimizers.legacy.Adagrad(0.5), LARGE))

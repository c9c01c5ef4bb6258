# SPDX-License-Identifier: Apache-2.0
"""Tests of what is JAX's own: steps have no side effects there."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import jax
import keras
import numpy as np
import pytest
from jax.experimental.sparse import BCOO

from compat_lossscale.errors import LossScaleMisuseError, LossScaleMisuseWarning, NotCountedError
from compat_lossscale.keras3 import LossScaleOptimizer
from tests.keras3.stepping import tensors_of, variables_of
from tests.support import NAN


def test_a_step_in_place_is_refused_and_says_what_to_call() -> None:
    variables = variables_of([1.0])
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0), initial_scale=4)
    with pytest.raises(LossScaleMisuseError, match="stateless_apply"):
        optimizer.apply(tensors_of([4.0]), variables)
    with pytest.raises(LossScaleMisuseError, match="stateless_apply"):
        optimizer.apply_gradients(zip(tensors_of([4.0]), variables, strict=True))
    assert np.asarray(variables[0]).tolist() == [1.0]


def test_skipped_steps_are_not_counted_and_the_error_says_what_counts_them() -> None:
    optimizer = LossScaleOptimizer(keras.optimizers.SGD())
    for name in ("skipped_steps", "last_step_skipped"):
        assert not hasattr(optimizer, name)
        assert name not in dir(optimizer)
        with pytest.raises(NotCountedError, match="LossScaleLogger"):
            getattr(optimizer, name)


def test_an_optimizer_that_is_not_built_says_so() -> None:
    optimizer = LossScaleOptimizer(keras.optimizers.SGD())
    with pytest.raises(ValueError, match=r"optimizer\.build"):
        optimizer.stateless_apply([], [], [])


def test_a_step_without_gradients_is_refused_or_told() -> None:
    optimizer, none = LossScaleOptimizer(keras.optimizers.SGD()), []
    optimizer.build(variables_of([1.0]))
    with pytest.raises(ValueError, match=r"stateless_apply\(\) got no gradients"):
        optimizer.stateless_apply(optimizer.variables, none, [np.ones([1])])
    optimizer = LossScaleOptimizer(keras.optimizers.SGD())
    optimizer.build(none)
    with pytest.warns(LossScaleMisuseWarning, match="built for no variables: nothing is trained"):
        trained, _ = optimizer.stateless_apply(optimizer.variables, none, none)
    assert trained == []


def test_fit_of_a_model_that_is_frozen_warns() -> None:
    model = keras.Sequential([keras.Input([1]), keras.layers.Dense(1, trainable=False)])
    model.compile(LossScaleOptimizer(keras.optimizers.SGD()), "mse")
    with pytest.warns(LossScaleMisuseWarning, match="nothing is trained"):
        model.fit(np.ones([2, 1]), np.ones([2, 1]), verbose=0)


def test_variables_are_taken_in_place_of_their_values() -> None:
    variables = variables_of([1.0])
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0), initial_scale=4)
    optimizer.build(variables)
    trained, own = optimizer.stateless_apply(optimizer.variables, tensors_of([2.0]), variables)
    assert np.asarray(trained[0]).tolist() == [0.5]
    skipped, _ = optimizer.stateless_apply(own, tensors_of([NAN]), trained)
    assert np.asarray(skipped[0]).tolist() == [0.5]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("bad", [False, True])
def test_a_sparse_gradient_trains_as_the_same_dense_one(compiled: bool, bad: bool) -> None:
    rows = np.full((3, 2), 10.0, "float32")
    rows[0, 0] = NAN if bad else 10.0
    sparse = BCOO((jax.numpy.asarray(rows), np.array([[0], [2], [4]])), shape=(5, 2))
    results = []
    for gradient in (sparse, keras.ops.convert_to_tensor(sparse, sparse=False)):
        variables = variables_of(np.ones((5, 2)))
        optimizer = LossScaleOptimizer(keras.optimizers.SGD(0.5), initial_scale=8)
        optimizer.build(variables)
        step = jax.jit(optimizer.stateless_apply) if compiled else optimizer.stateless_apply
        own = [one.value for one in optimizer.variables]
        after = step(own, [gradient], [one.value for one in variables])
        results.append([np.asarray(one).tolist() for one in [*after[0], *after[1]]])
    assert results[0] == results[1]
    assert results[0][0][0][1] == (1.0 if bad else 0.375)


def test_a_training_step_of_ones_own_compiles_to_one_function() -> None:
    layer = keras.layers.Dense(1, kernel_initializer="ones")
    layer.build((None, 2))
    optimizer = LossScaleOptimizer(
        keras.optimizers.SGD(0.5), initial_scale=8.0, dynamic_growth_steps=2
    )
    optimizer.build(layer.trainable_variables)

    def loss_of(trained, own, x):  # type: ignore[no-untyped-def]
        y, _ = layer.stateless_call(trained, [], x)
        with keras.StatelessScope(state_mapping=zip(optimizer.variables, own, strict=True)):
            return optimizer.scale_loss(y.mean())

    @jax.jit
    def step(trained, own, x):  # type: ignore[no-untyped-def]
        gradients = jax.grad(loss_of)(trained, own, x)
        return optimizer.stateless_apply(own, gradients, trained)

    trained = [one.value for one in layer.trainable_variables]
    own = [one.value for one in optimizer.variables]
    places = [
        next(i for i, one in enumerate(optimizer.variables) if one is variable)
        for variable in (optimizer.dynamic_scale, optimizer.step_counter)
    ]
    path = []
    for x in ([2.0, 4.0], [NAN, 0.0], [2.0, 4.0], [2.0, 4.0]):
        trained, own = step(trained, own, np.asarray([x], "float32"))
        path.append([float(own[place]) for place in places])
    assert path == [[8.0, 1.0], [4.0, 0.0], [4.0, 1.0], [8.0, 0.0]]
    assert np.asarray(trained[0]).ravel().tolist() == [1.0 - 3 * 0.5 * 2, 1.0 - 3 * 0.5 * 4]
    assert step._cache_size() == 1


def loop(how: str) -> tuple[LossScaleOptimizer, Callable[[], list[float]]]:
    """An optimizer, and what takes eight steps of slope 1 and gives their updates."""
    layer = keras.layers.Dense(1, kernel_initializer="ones")
    layer.build((None, 2))
    optimizer = LossScaleOptimizer(
        keras.optimizers.SGD(1.0), initial_scale=8.0, dynamic_growth_steps=2
    )
    optimizer.build(layer.trainable_variables)

    def loss_of(trained: Any, own: Any, x: Any) -> Any:
        y, _ = layer.stateless_call(trained, [], x)
        if how == "stateless":
            return optimizer.stateless_scale_loss(own, y.mean())
        return optimizer.scale_loss(y.mean())

    @jax.jit
    def step(trained: Any, own: Any, x: Any) -> Any:
        return optimizer.stateless_apply(own, jax.grad(loss_of)(trained, own, x), trained)

    def run() -> list[float]:
        trained = [one.value for one in layer.trainable_variables]
        own = [one.value for one in optimizer.variables]
        updates = []
        for number in range(8):
            before = float(trained[1][0])
            x = np.full((1, 2), NAN if number == 4 else 1.0, "float32")
            trained, own = step(trained, own, x)
            updates.append(before - float(trained[1][0]))
        return updates

    return optimizer, run


def test_a_compiled_step_that_scales_by_the_values_it_is_given_keeps_its_updates() -> None:
    optimizer, run = loop("stateless")
    with warnings.catch_warnings():
        warnings.simplefilter("error", LossScaleMisuseWarning)
        assert run() == [1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0]
    assert float(optimizer.dynamic_scale) == 8.0  # Nothing was assigned.


def test_a_compiled_step_that_scales_by_a_constant_is_told_once_what_to_call() -> None:
    _, run = loop("constant")
    with pytest.warns(LossScaleMisuseWarning, match="stateless_scale_loss") as caught:
        assert run() == [1.0, 1.0, 0.5, 0.5, 0.0, 0.5, 0.5, 0.25]
    (one,) = [one for one in caught if one.category is LossScaleMisuseWarning]
    assert "scale_loss() was called in a function that JAX compiles" in str(one.message)
    assert "now, 8," in str(one.message)
    assert one.filename == __file__


@pytest.mark.parametrize("where", ["grad", "vmap", "fixed", "scope", "scan"])
def test_only_a_loss_scale_that_can_get_stale_is_told_of(where: str) -> None:
    optimizer = LossScaleOptimizer(
        keras.optimizers.SGD(1.0), dynamic=where != "fixed", initial_scale=8.0
    )
    optimizer.build(variables_of([1.0]))

    def scaled(x: Any) -> Any:
        return optimizer.scale_loss(x * 2.0)

    def in_scope(x: Any, own: Any) -> Any:
        with keras.StatelessScope(state_mapping=zip(optimizer.variables, own, strict=True)):
            return optimizer.scale_loss(x * 2.0)

    own = [one.value for one in optimizer.variables]
    calls: dict[str, Callable[[], Any]] = {
        "grad": lambda: jax.grad(scaled)(1.0),
        "vmap": lambda: jax.vmap(scaled)(np.ones(3, "float32")),
        "fixed": lambda: jax.jit(scaled)(1.0),
        "scope": lambda: jax.jit(in_scope)(1.0, own),
        "scan": lambda: jax.lax.scan(lambda _, x: (0.0, scaled(x)), 0.0, np.ones(3, "float32")),
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        calls[where]()
    told = [one for one in caught if "becomes a constant" in str(one.message)]
    assert len(told) == (where == "scan")


@pytest.mark.parametrize("method", ["get_scaled_loss", "get_unscaled_gradients"])
def test_the_calls_of_the_other_protocol_get_stale_too_and_are_told_of_the_scope(
    method: str,
) -> None:
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0), initial_scale=8.0)
    optimizer.build(variables_of([1.0]))

    def call(x: Any) -> Any:
        return getattr(optimizer, method)([x] if method == "get_unscaled_gradients" else x)

    with pytest.warns(LossScaleMisuseWarning, match=rf"{method}\(\) in `with keras.StatelessScope"):
        jax.jit(call)(1.0)


def test_values_that_are_not_those_of_the_optimizer_are_refused() -> None:
    optimizer = LossScaleOptimizer(keras.optimizers.SGD())
    with pytest.raises(ValueError, match=r"stateless_scale_loss\(\) needs .* optimizer\.build"):
        optimizer.stateless_scale_loss([], 1.0)
    optimizer.build(variables_of([1.0]))
    with pytest.raises(ValueError, match=r"needs a value for each .*, but got 1"):
        optimizer.stateless_scale_loss(optimizer.variables[:1], 1.0)

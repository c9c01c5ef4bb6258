# SPDX-License-Identifier: Apache-2.0
"""Tests of what is JAX's own: steps have no side effects there."""

from __future__ import annotations

import jax
import keras
import numpy as np
import pytest
from jax.experimental.sparse import BCOO

from compat_lossscale.errors import (
    LossScaleMisuseError,
    LossScaleMisuseWarning,
    NotCountedError,
)
from compat_lossscale.keras3 import LossScaleOptimizer
from compat_lossscale.keras3.backends import stateless
from tests.keras3.stepping import stepper, tensors_of, values_in, variables_of
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


@pytest.mark.parametrize("unscaled", [False, True], ids=["keras3", "tf2.4"])
@pytest.mark.parametrize("scale", [8.0, 1000.0])
def test_what_is_unscaled_in_the_branch_has_the_bits_of_what_is_unscaled_before(
    unscaled: bool, scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(1)
    magnitudes = 10.0 ** random.integers(-40, 5, 2000)  # Some of them are denormal.
    gradients = [(random.normal(size=2000) * magnitudes).astype("float32") for _ in range(3)]
    results = []
    for noted in (True, False):
        variables = variables_of(np.ones(2000))
        optimizer = LossScaleOptimizer(keras.optimizers.Adam(0.5), initial_scale=scale)
        step = stepper(optimizer, variables, "jit", unscaled)
        if not noted:
            monkeypatch.setattr(stateless, "_again_in_branch", lambda gradient: gradient)
        for gradient in gradients:
            step(gradient)
        results.append([value.tobytes() for value in values_in([*optimizer.variables, *variables])])
    assert results[0] == results[1]


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

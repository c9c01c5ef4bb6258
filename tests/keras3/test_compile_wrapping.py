# SPDX-License-Identifier: Apache-2.0
"""Tests of what Keras 3's Model.compile wraps an optimizer with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import keras
import numpy as np
import pytest

from compat_lossscale._patching import Undo, take_back
from compat_lossscale.keras3 import experimental
from compat_lossscale.keras3.experimental import Policy, set_policy

Stock = keras.optimizers.LossScaleOptimizer


@pytest.fixture(autouse=True)
def policy_and_compile_stay() -> Iterator[None]:
    policy, decides = keras.config.dtype_policy(), experimental.patches.applied
    yield
    keras.config.set_dtype_policy(policy)
    experimental.patches.replace(decides)


def experimental_of_4(optimizer: Any) -> Any:
    return experimental.LossScaleOptimizer(optimizer, 4)


def compiled(policy: Any, **kwargs: Any) -> Any:
    set_policy(policy) if isinstance(policy, Policy) else keras.config.set_dtype_policy(policy)
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(keras.optimizers.SGD(0.5), "mse", **kwargs)
    return model


def test_a_policys_loss_scale_is_that_of_the_optimizer_and_trains() -> None:
    policy = Policy("mixed_float16", loss_scale=8)
    model = compiled(policy)
    assert type(model.optimizer) is experimental.LossScaleOptimizer
    assert model.optimizer.loss_scale is policy.loss_scale
    model.fit(np.ones((2, 1)), np.zeros((2, 1)), verbose=0)
    assert [float(one.squeeze()) for one in model.get_weights()] == [0.0, -1.0]
    assert float(model.optimizer.loss_scale()) == 8.0


def test_a_policy_without_a_loss_scale_leaves_the_optimizer() -> None:
    model = compiled(Policy("mixed_float16", loss_scale=None))
    assert type(model.optimizer) is keras.optimizers.SGD
    assert type(compiled(Policy("float32")).optimizer) is keras.optimizers.SGD
    model = compiled(Policy("mixed_float16"), auto_scale_loss=False)
    assert type(model.optimizer) is keras.optimizers.SGD


def test_keras_own_policy_is_left_to_keras_or_to_the_default() -> None:
    experimental.enable()
    assert type(compiled("mixed_float16").optimizer) is Stock
    experimental.enable(default=experimental_of_4)
    assert float(compiled("mixed_float16").optimizer.loss_scale) == 4.0
    assert type(compiled("float32").optimizer) is keras.optimizers.SGD


def test_a_model_with_a_compile_of_its_own_gets_optimizers_as_compile_wraps_them() -> None:
    undo: Undo = []
    experimental.put_get_optimizer(experimental_of_4, undo)

    class Adversaries(keras.Model):
        def compile(self, one: Any, other: Any) -> None:
            super().compile()
            self.one, self.both = self._get_optimizer(one), self._get_optimizer([other, "adam"])

    def optimizers_under(policy: Any) -> list[Any]:
        model = Adversaries(dtype=policy)
        model.compile("sgd", keras.optimizers.SGD(0.5))
        return [model.one, *model.both]

    kinds = [keras.optimizers.SGD, keras.optimizers.SGD, keras.optimizers.Adam]
    assert [type(one) for one in optimizers_under("float32")] == kinds
    for policy, scale in (("mixed_float16", 4.0), (Policy("mixed_float16", loss_scale=8), 8.0)):
        found = optimizers_under(policy)
        assert [type(one.inner_optimizer) for one in found] == kinds
        assert [float(one.loss_scale()) for one in found] == [scale] * 3
    take_back(undo)
    assert not hasattr(keras.Model, "_get_optimizer")


def test_what_is_taken_back_leaves_the_method_that_was_found() -> None:
    experimental.patches.replace(())
    found = keras.Model.compile
    experimental.enable()
    assert experimental.patches.applied
    assert keras.Model.compile is not found
    experimental.patches.replace(())
    assert keras.Model.compile is found
    assert not experimental.patches.applied

# SPDX-License-Identifier: Apache-2.0
"""Tests of what Keras 3's Model.compile wraps an optimizer with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import keras
import numpy as np
import pytest

from compat_lossscale.keras3 import compile_wrapping, experimental
from compat_lossscale.keras3.policies import Policy, set_policy

Stock = keras.optimizers.LossScaleOptimizer


@pytest.fixture(autouse=True)
def policy_and_compile_stay() -> Iterator[None]:
    policy, decides = keras.config.dtype_policy(), compile_wrapping.patches.applied
    yield
    keras.config.set_dtype_policy(policy)
    compile_wrapping.patches.replace(decides)


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
    compile_wrapping.enable()
    assert type(compiled("mixed_float16").optimizer) is Stock
    compile_wrapping.enable(default=lambda optimizer: experimental.LossScaleOptimizer(optimizer, 4))
    assert float(compiled("mixed_float16").optimizer.loss_scale) == 4.0
    assert type(compiled("float32").optimizer) is keras.optimizers.SGD


def test_what_is_taken_back_leaves_the_method_that_was_found() -> None:
    compile_wrapping.patches.replace(())
    found = keras.Model.compile
    compile_wrapping.enable()
    assert compile_wrapping.patches.applied
    assert keras.Model.compile is not found
    compile_wrapping.patches.replace(())
    assert keras.Model.compile is found
    assert not compile_wrapping.patches.applied

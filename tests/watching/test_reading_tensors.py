# SPDX-License-Identifier: Apache-2.0
"""The state of an optimizer's loss scale, out of TensorFlow's tensors."""

from __future__ import annotations

import keras
import pytest
import tensorflow as tf
import tf_keras

import compat_lossscale
from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.watching.reading_tensors import state_reader


def test_state_of_a_dynamic_loss_scale() -> None:
    optimizer = compat_lossscale.LossScaleOptimizer(
        tf_keras.optimizers.legacy.SGD(), initial_scale=8.0
    )
    read = state_reader(optimizer)
    assert read() == {"step": 0, "loss_scale": 8.0, "good_steps": 0, "skipped_steps": 0}
    variable = tf.Variable(1.0)
    optimizer.apply_gradients([(tf.constant(float("nan")), variable)])
    optimizer.apply_gradients([(tf.constant(1.0), variable)])
    assert read() == {"step": 2, "loss_scale": 4.0, "good_steps": 1, "skipped_steps": 1}


def test_state_of_a_fixed_loss_scale_has_no_good_steps() -> None:
    optimizer = compat_lossscale.LossScaleOptimizer(
        tf_keras.optimizers.legacy.SGD(), dynamic=False, initial_scale=8.0
    )
    state = state_reader(optimizer)()
    assert state["loss_scale"] == 8.0
    assert "good_steps" not in state


def test_another_backend_of_keras_3_needs_the_callback_of_keras_3(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(), initial_scale=8.0)
    assert state_reader(optimizer)()["loss_scale"] == 8.0
    monkeypatch.setattr(keras.config, "backend", lambda: "jax")
    with pytest.raises(LossScaleArgumentError, match=r"on jax.*keras3\.LossScaleLogger"):
        state_reader(optimizer)

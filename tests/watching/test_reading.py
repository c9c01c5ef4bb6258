# SPDX-License-Identifier: Apache-2.0
"""What is read of an optimizer's loss scale."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf
import tf_keras

import compat_lossscale
from compat_lossscale.watching import reading


def test_state_of_a_dynamic_loss_scale() -> None:
    optimizer = compat_lossscale.LossScaleOptimizer(
        tf_keras.optimizers.legacy.SGD(), initial_scale=8.0
    )
    read = reading.state_reader(optimizer)
    assert read() == {"step": 0, "loss_scale": 8.0, "good_steps": 0, "skipped_steps": 0}
    variable = tf.Variable(1.0)
    optimizer.apply_gradients([(tf.constant(float("nan")), variable)])
    optimizer.apply_gradients([(tf.constant(1.0), variable)])
    assert read() == {"step": 2, "loss_scale": 4.0, "good_steps": 1, "skipped_steps": 1}


def test_state_of_a_fixed_loss_scale_has_no_good_steps() -> None:
    optimizer = compat_lossscale.LossScaleOptimizer(
        tf_keras.optimizers.legacy.SGD(), dynamic=False, initial_scale=8.0
    )
    state = reading.state_reader(optimizer)()
    assert state["loss_scale"] == 8.0
    assert "good_steps" not in state


@pytest.mark.parametrize("family", [tf_keras.optimizers, tf_keras.optimizers.legacy])
def test_a_bare_optimizer_has_no_loss_scale(family: Any) -> None:
    optimizer = family.SGD()
    assert reading.loss_scale_of(optimizer) is None
    assert reading.skipped_steps_of(optimizer) is None

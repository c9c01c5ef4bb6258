# SPDX-License-Identifier: Apache-2.0
"""What a loss scale did between two looks at its optimizer."""

from __future__ import annotations

import pytest
import tensorflow as tf
import tf_keras

from compat_lossscale.callbacks import LossScaleLogger
from compat_lossscale.watching.logging_hooks import WatchedOptimizer

NAN = float("nan")


def watched(initial_scale: float) -> WatchedOptimizer:
    """Watches an optimizer of tf-keras, which does not count skipped steps."""
    inner = tf_keras.optimizers.legacy.SGD()
    optimizer = tf_keras.mixed_precision.LossScaleOptimizer(inner, initial_scale=initial_scale)
    return WatchedOptimizer(optimizer, LossScaleLogger._reader_of(optimizer), counts_itself=True)


def step(one: WatchedOptimizer, gradient: float) -> None:
    one.optimizer.apply_gradients([(tf.constant(gradient), tf.Variable(1.0))])


def test_skipped_steps_are_told_from_the_loss_scale_and_the_counter() -> None:
    one = watched(8.0)
    seen = [one.look()["skipped_steps"]]
    for gradient in (1.0, NAN, NAN, 1.0):
        step(one, gradient)
        seen.append(one.look()["skipped_steps"])
    assert seen == [0, 0, 1, 2, 2]


def test_two_looks_without_a_step_between_them() -> None:
    one = watched(8.0)
    before = dict(one.look())
    assert not one.has_stepped(before, one.look())
    step(one, 1.0)
    assert one.has_stepped(before, one.look())


@pytest.mark.parametrize(
    ("initial_scale", "skipped", "is_at_floor"), [(1.0, 1, True), (4.0, 2, False), (4.0, 3, False)]
)
def test_a_scale_is_at_its_floor_if_steps_are_skipped_there(
    initial_scale: float, skipped: int, is_at_floor: bool
) -> None:
    one = watched(initial_scale)
    before = dict(one.look())
    for _ in range(skipped):
        step(one, NAN)
        seen = one.look()
    assert one.is_at_floor(before, seen) is is_at_floor


@pytest.mark.parametrize(("scale", "is_at_cap"), [(2.0**126, False), (2.0**127, True)])
def test_a_scale_is_at_its_cap_if_twice_of_it_is_infinite(scale: float, is_at_cap: bool) -> None:
    assert watched(scale).is_at_cap(scale) is is_at_cap

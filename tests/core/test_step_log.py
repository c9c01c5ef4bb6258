# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import warnings

import pytest
import tensorflow as tf

from compat_lossscale.core import DynamicLossScale, StepLog
from compat_lossscale.errors import LossScaleStuckWarning


def test_skipped_steps_are_counted() -> None:
    log = StepLog()
    log.note_skipped()
    log.note_skipped()
    assert (int(log.skipped), bool(log.last_skipped)) == (2, True)
    log.note_applied()
    assert (int(log.skipped), bool(log.last_skipped)) == (2, False)


def test_there_is_none_in_a_graph_of_tensorflow_1() -> None:
    with tf.Graph().as_default():
        assert StepLog.if_possible() is None
    assert StepLog.if_possible() is not None


def advance(loss_scale: DynamicLossScale, log: StepLog, *finite: bool) -> list[str]:
    """What eager steps warn of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for one in finite:
            loss_scale.advance(tf.constant(one), log)
    assert all(warning.category is LossScaleStuckWarning for warning in caught)
    return [str(warning.message) for warning in caught]


def test_a_scale_at_its_floor_that_should_shrink_is_said_once() -> None:
    loss_scale, log = DynamicLossScale(2), StepLog()
    assert advance(loss_scale, log, False, True) == []
    (said,) = advance(loss_scale, log, False, False)
    assert "learning rate" in said
    assert said.endswith("It is now 1.0.")


def test_a_scale_at_its_cap_that_should_grow_is_said_once() -> None:
    loss_scale, log = DynamicLossScale(2.0**126, increment_period=1), StepLog()
    (said,) = advance(loss_scale, log, True, True, True)
    assert "It is now 1.70141" in said


def test_a_scale_that_is_not_to_move_is_no_news() -> None:
    assert advance(DynamicLossScale(8, increment_period=3), StepLog(), *[True] * 7, False) == []
    assert advance(DynamicLossScale(1, 1, multiplier=1), StepLog(), True, False) == []


def test_a_function_says_it_once_on_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    loss_scale, log = DynamicLossScale(2), StepLog()

    @tf.function
    def step(finite: tf.Tensor) -> None:
        loss_scale.advance(finite, log)

    for finite in (False, True, False, False):
        step(tf.constant(finite))
    assert capfd.readouterr().err.count("The loss scale has to move and cannot.") == 1


def test_a_function_compiled_by_xla_says_nothing_and_works() -> None:
    loss_scale, log = DynamicLossScale(2), StepLog()

    @tf.function(jit_compile=True)
    def step(finite: tf.Tensor) -> None:
        loss_scale.advance(finite, log)

    for finite in (False, False):
        step(tf.constant(finite))
    assert float(loss_scale()) == 1

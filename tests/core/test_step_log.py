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


@pytest.mark.parametrize("compiled", [False, True], ids=["", "xla"])
def test_a_function_says_it_once_unless_xla_compiles_it(
    compiled: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    log = StepLog()

    @tf.function(jit_compile=compiled or None)
    def skip(scale: tf.Tensor) -> None:
        log.note_skipped(scale)

    skip(tf.constant(2.0))
    assert "loss scale" not in capfd.readouterr().err
    for _ in range(3):
        skip(tf.constant(1.0))
    said = capfd.readouterr().err.count("The loss scale has to move and cannot.")
    assert said == (0 if compiled else 1)
    assert int(log.skipped) == 4

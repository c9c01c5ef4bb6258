# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import warnings
from typing import Any

import pytest
import tensorflow as tf

from compat_lossscale.core import DynamicLossScale, StepLog
from compat_lossscale.errors import LossScaleStuckWarning
from tests.support import Mode


@pytest.mark.parametrize("name", ["eager", "function"])
def test_skipped_steps_are_counted(name: str) -> None:
    log, mode = StepLog(), Mode(name)
    skip = mode.compile(lambda: log.note(applied=False))
    skip()
    skip()
    assert (int(log.skipped), bool(log.last_skipped)) == (2, True)
    mode.compile(lambda: log.note(applied=True))()
    assert (int(log.skipped), bool(log.last_skipped)) == (2, False)


def test_where_good_steps_are_counted_the_latest_one_was_applied() -> None:
    good_steps = tf.Variable(0, dtype=tf.int64)
    log = StepLog(good_steps)
    log.note(applied=False)
    assert bool(log.last_skipped)
    good_steps.assign(5)
    assert not bool(log.last_skipped)


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

    def skip(loss_scale: DynamicLossScale) -> Any:
        return tf.function(
            lambda: loss_scale.advance(False, log) and None, jit_compile=compiled or None
        )

    skip(DynamicLossScale(2))()
    assert "loss scale" not in capfd.readouterr().err
    at_its_floor = skip(DynamicLossScale(1))
    for _ in range(3):
        at_its_floor()
    said = capfd.readouterr().err.count("The loss scale has to move and cannot.")
    assert said == (0 if compiled else 1)
    assert int(log.skipped) == 4

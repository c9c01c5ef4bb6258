# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import textwrap

import pytest
import tensorflow as tf

from compat_lossscale.errors import LossScaleStuckWarning
from compat_lossscale.steps.step_log import StepLog
from tests.support import Mode, python


@pytest.mark.parametrize("name", ["eager", "function"])
def test_skipped_steps_are_counted(name: str) -> None:
    log, mode = StepLog(), Mode(name)
    skip = mode.compile(lambda: log.note_skipped() and None)
    skip()
    skip()
    assert (int(log.skipped), bool(log.last_skipped)) == (2, True)
    mode.compile(lambda: log.note_applied() and None)()
    assert (int(log.skipped), bool(log.last_skipped)) == (2, False)


def test_by_a_counter_of_all_steps_an_applied_step_needs_no_note() -> None:
    steps = tf.Variable(0, dtype=tf.int64)
    log = StepLog(lambda: steps)
    assert not bool(log.last_skipped)
    steps.assign(5)
    log.note_skipped()
    assert bool(log.last_skipped)
    steps.assign(6)
    assert log.note_applied() is None
    assert not bool(log.last_skipped)


def test_there_is_none_in_a_graph_of_tensorflow_1() -> None:
    with tf.Graph().as_default():
        assert StepLog.if_possible() is None
    assert StepLog.if_possible() is not None


@pytest.mark.parametrize("compiled", [False, True], ids=["", "xla"])
def test_what_a_function_noted_is_said_when_somebody_looks_and_once(compiled: bool) -> None:
    log = StepLog()

    @tf.function(jit_compile=compiled or None)
    def skip(scale: tf.Tensor) -> None:
        log.note_skipped(tf.equal(scale, 1.0))

    skip(tf.constant(2.0))
    log.warn_if_stuck()
    assert not log.has_warned
    skip(tf.constant(1.0))
    with pytest.warns(LossScaleStuckWarning, match="The loss scale has to move and cannot"):
        log.warn_if_stuck()
    log.warn_if_stuck()
    assert (log.has_warned, int(log.skipped)) == (True, 2)


def test_what_nobody_looked_at_is_said_when_the_program_ends() -> None:
    program = """
        import tensorflow as tf
        from compat_lossscale.steps.step_log import StepLog

        log = StepLog()
        log.note_skipped(tf.constant(1.0))
    """
    done = python("-c", textwrap.dedent(program), tensorflow_may_be_imported=True)
    assert done.returncode == 0, done.stderr
    assert "LossScaleStuckWarning: The loss scale has to move" in done.stderr

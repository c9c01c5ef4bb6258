# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C: noted, raised once, held back."""

from __future__ import annotations

import os
import signal
import threading

import pytest
from lossscale_codemods.running.processes import held_back, noting, once


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_it_is_noted_and_then_heard_again() -> None:
    with noting() as interrupt:
        assert not interrupt.noted
        press()
        press()
        assert interrupt.noted
    with pytest.raises(KeyboardInterrupt):
        press()


def test_it_is_raised_once_and_does_not_disturb_the_end() -> None:
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(KeyboardInterrupt):
            _press_again_while_cleaning_up()
        press()
    finally:
        signal.signal(signal.SIGINT, before)


def _press_again_while_cleaning_up() -> None:
    with once():
        try:
            press()
        finally:
            press()


def test_without_ctrl_c_everything_is_as_before() -> None:
    before = signal.getsignal(signal.SIGINT)
    with once(), noting():
        pass
    assert signal.getsignal(signal.SIGINT) is before


def test_it_waits_while_it_is_held_back() -> None:
    steps = []
    with pytest.raises(KeyboardInterrupt), held_back():  # noqa: PT012  # what is raised comes at the end of the block
        # To this thread: one sent to the process goes to any thread that does not hold it back.
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        steps.append("all of it was done")
    assert steps


def test_where_it_is_switched_off_it_stays_off() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with once(), noting() as interrupt:
            press()
        assert not interrupt.noted
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_never_hear_of_it() -> None:
    found = []

    def run() -> None:
        with once(), noting() as interrupt:
            found.append(interrupt.noted)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [False]

# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C: noted, raised once, held back."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable

import pytest
from lossscale_codemods.runner.interrupts import held_back, noting, once


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


class Dropped:
    """Presses Ctrl-C, or goes wrong, where Python drops what is raised."""

    def __init__(self, then: Callable[[], None]) -> None:
        self._then = then

    def __del__(self) -> None:
        self._then()


def test_it_is_raised_though_it_came_where_nothing_can_be_raised() -> None:
    before = signal.getsignal(signal.SIGINT)
    late = False
    try:
        with pytest.raises(KeyboardInterrupt), once():  # noqa: PT012  # it is raised some time later
            Dropped(press)
            time.sleep(10)
            late = True
    finally:
        signal.signal(signal.SIGINT, before)
    assert not late


def test_it_is_raised_once_though_it_is_pressed_again_before_it_could_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lossscale_codemods.runner.interrupts._SOON", 0.1)
    before = signal.getsignal(signal.SIGINT)
    ended = False
    try:
        with pytest.raises(KeyboardInterrupt), once():  # noqa: PT012  # what follows is its end
            try:
                Dropped(press)
                press()
            finally:
                time.sleep(0.3)
                ended = True
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended


def test_what_else_cannot_be_raised_is_reported_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: reported.append(what.exc_type))

    def go_wrong() -> None:
        raise ValueError

    with once():
        Dropped(go_wrong)
    Dropped(go_wrong)
    assert reported == [ValueError, ValueError]


def test_no_alarm_outlives_it() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)
    try:
        with once():
            Dropped(press)
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        assert signal.getsignal(signal.SIGALRM) == before[1]
    finally:
        signal.signal(signal.SIGINT, before[0])


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

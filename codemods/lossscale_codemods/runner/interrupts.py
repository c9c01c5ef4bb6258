# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C that does not arrive between two things that belong together."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


_SOON = 0.01
"""Seconds in which whatever dropped a `KeyboardInterrupt` is over."""


class Interrupt:
    """Whether Ctrl-C was pressed."""

    noted = False


@contextlib.contextmanager
def noting() -> Iterator[Interrupt]:
    """Notes Ctrl-C instead of raising `KeyboardInterrupt`, so that a step is always finished."""
    interrupt = Interrupt()
    if not _heard():
        yield interrupt
        return

    def note(*_: Any) -> None:
        interrupt.noted = True

    before = signal.signal(signal.SIGINT, note)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def once() -> Iterator[None]:
    """Lets Ctrl-C raise `KeyboardInterrupt` once; pressed again, it does not disturb the end."""
    if not _heard():
        yield
        return

    def first(*_: Any) -> None:
        for number in (signal.SIGINT, signal.SIGALRM):
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    def not_raised(what: Any) -> None:
        if not issubclass(what.exc_type, KeyboardInterrupt):
            report(what)
            return
        # Python drops what is raised while an object is being deleted. So it comes again.
        for number in (signal.SIGINT, signal.SIGALRM):
            signal.signal(number, first)
        signal.setitimer(signal.ITIMER_REAL, _SOON)

    before, alarm = signal.signal(signal.SIGINT, first), signal.getsignal(signal.SIGALRM)
    report, sys.unraisablehook = sys.unraisablehook, not_raised
    try:
        yield
    finally:
        sys.unraisablehook = report
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, alarm)
        if signal.getsignal(signal.SIGINT) is first:
            signal.signal(signal.SIGINT, before)


def _heard() -> bool:
    """Whether Ctrl-C reaches this thread; a shell can have switched it off for the process."""
    main = threading.current_thread() is threading.main_thread()
    return main and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Lets Ctrl-C wait in this thread; processes started meanwhile never hear of it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

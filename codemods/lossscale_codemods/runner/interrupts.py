# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C that does not arrive between two things that belong together."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


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
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is first:
            signal.signal(signal.SIGINT, before)


def _heard() -> bool:
    """Whether Ctrl-C reaches this thread; a shell can have switched it off for the process."""
    main = threading.current_thread() is threading.main_thread()
    return main and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN

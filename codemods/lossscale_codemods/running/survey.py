# SPDX-License-Identifier: Apache-2.0
"""Finds files with old names within a time limit, for doctor."""

from __future__ import annotations

import dataclasses
import threading
from typing import TYPE_CHECKING

from lossscale_codemods.project.byte_scan import can_hold_old_name
from lossscale_codemods.project.discovery import Skipped, discover

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


_LARGEST = 20_000_000
"""Files of more bytes are left to `migrate`."""


@dataclasses.dataclass(frozen=True)
class Survey:
    """What was found.

    Attributes:
        files: The files that can hold an old name, in the order in which they were found. Only
            `migrate`, which reads scopes too, knows whether one really does.
        looked_at: How many files were looked at.
        left_out: How many files were too large, or could not be read.
        complete: Whether there was time for all.
    """

    files: tuple[str, ...]
    looked_at: int
    left_out: int
    complete: bool


def survey(paths: Sequence[Path], *, seconds: float, exclude: Sequence[str] = ()) -> Survey:
    """Looks for files that can hold an old name.

    Args:
        paths: Files and folders.
        seconds: How long at most.
        exclude: Patterns of files and folders to leave out, as `discover` takes them.

    Returns:
        What was found so far.
    """
    look = _Look(paths, exclude)
    # One slow folder, or one large file, must not outlast the time either.
    thread = threading.Thread(target=look.run, daemon=True)
    thread.start()
    thread.join(seconds)
    look.over.set()
    return Survey(tuple(look.files), look.looked_at, look.left_out, look.complete)


class _Look:
    def __init__(self, paths: Sequence[Path], exclude: Sequence[str]) -> None:
        self.paths = paths
        self.exclude = exclude
        self.over = threading.Event()
        self.files: list[str] = []
        self.looked_at = 0
        self.left_out = 0
        self.complete = False

    def run(self) -> None:
        for discovered in discover(self.paths, exclude=self.exclude):
            if self.over.is_set():
                return
            if isinstance(discovered, Skipped):
                self.left_out += discovered.failed
                continue
            try:
                with discovered.path.open("rb") as file:
                    source = file.read(_LARGEST + 1)
            except OSError:
                self.left_out += 1
                continue
            if len(source) > _LARGEST:
                self.left_out += 1
                continue
            if can_hold_old_name(source):
                self.files.append(discovered.name)
            self.looked_at += 1
        self.complete = True

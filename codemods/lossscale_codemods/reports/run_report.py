# SPDX-License-Identifier: Apache-2.0
"""What became of all files of a run; every report is made from it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from lossscale_codemods.project.discovery import Skipped
    from lossscale_codemods.vocabulary.records import Result


@dataclasses.dataclass(frozen=True)
class FileReport:
    """What became of one file.

    Attributes:
        path: The file, as it was named or found.
        result: What the engine made of it.
        written: Whether the change is on the disk.
    """

    path: Path
    result: Result
    written: bool = False


@dataclasses.dataclass(frozen=True)
class Proof:
    """What came of running the program before and after.

    Attributes:
        program: The program, as it was named.
        verdict: `same`, `different` or `cannot be told`.
        words: The verdict and the first difference, in sentences.
        place: The file and the line of the first difference, as it is now, if there is one.
    """

    program: str
    verdict: str
    words: str
    place: tuple[str, int] | None = None

    @property
    def passed(self) -> bool:
        """Whether the program does the same."""
        return self.verdict == "same"


@dataclasses.dataclass
class RunReport:
    """What became of all files of a run."""

    files: list[FileReport] = dataclasses.field(default_factory=list)
    """Files in which there is an old name, or that could not be read."""
    skipped: list[Skipped] = dataclasses.field(default_factory=list)
    looked_at: int = 0
    interrupted: bool = False
    problems: list[str] = dataclasses.field(default_factory=list)
    """What went wrong besides, that belongs to no file."""
    proof: Proof | None = None
    """What came of `--prove`."""

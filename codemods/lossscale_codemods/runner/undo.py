# SPDX-License-Identifier: Apache-2.0
"""The patch that takes a run back. It is on the disk before the first file changes."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from compat_lossscale._atomic_file import replacing
from compat_lossscale._printable import escaped
from lossscale_codemods.reports.patches import diff

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.reports.run_report import FileReport


class UndoError(Exception):
    """The patch cannot be written; the message says why."""


class Undo:
    """A patch that `git apply -R` and `patch -R -p1` take back.

    Args:
        path: Where it is to be; nothing may be there yet, so that no earlier undo is lost.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def begin(self, files: Sequence[FileReport]) -> None:
        """Writes the patch for all that is about to be written.

        Raises:
            UndoError: It cannot be, or something is there.
        """
        try:
            content = self._patch(files)
            with self.path.open("xb") as file:
                try:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                except BaseException:
                    self.path.unlink()
                    raise
        except FileExistsError as error:
            raise UndoError(already_there(self.path)) from error
        except OSError as error:
            raise UndoError(
                f"The undo patch {self.path} cannot be written: {error.strerror or error}."
            ) from error

    def finish(self, planned: Sequence[FileReport], written: Sequence[FileReport]) -> None:
        """Takes out of the patch what was not written after all; without any, the patch goes.

        Raises:
            UndoError: It cannot be changed, and still holds all that was planned.
        """
        try:
            if not written:
                self.path.unlink()
            elif len(written) < len(planned):
                with replacing(self.path) as beside:
                    beside.write_bytes(self._patch(written))
        except OSError as error:
            raise UndoError(
                f"The undo patch {self.path} cannot be shortened: {error.strerror or error}. It "
                "still takes back files that were not written."
            ) from error

    def _patch(self, files: Sequence[FileReport]) -> bytes:
        # Neither tool patches through a link, or outside of the folder it runs in.
        targets = [Path(os.path.realpath(file.path)) for file in files]
        base = Path.cwd().resolve()
        if not all(base in target.parents for target in targets):
            base = Path(os.path.commonpath([target.parent for target in targets]))
        patch = shlex.quote(escaped(str(self.path.absolute())))
        head = (
            f"Takes back what `compat-lossscale migrate` wrote. In the folder\n"
            f"    {escaped(str(base))}\n"
            f"run one of\n"
            f"    git -c core.autocrlf=false apply -R --whitespace=nowarn {patch}\n"
            f"    patch -R -p1 -i {patch}\n\n"
        )
        patches = [
            diff(file, target.relative_to(base))
            for file, target in zip(files, targets, strict=True)
        ]
        return head.encode() + b"".join(patches)


def already_there(path: Path) -> str:
    """Says why a patch is not written over something."""
    return f"{path} is there already. Name a file that is not, so that no earlier undo is lost."

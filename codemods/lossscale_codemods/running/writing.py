# SPDX-License-Identifier: Apache-2.0
"""Writes files so that each is always whole, and the patch that takes a run back.

The new text is written beside the file, flushed to the disk, and renamed over it. Mode, extended
attributes (with them, access lists) and, where the system allows it, the owner stay. A link is
followed, within the folder that was named. Of a file with several hard links, the name that
was found gets the new file and the others keep the old one.

A process that is killed can leave the file that it wrote beside. Such files begin with `LEFT_OVER`;
no run looks at them.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shlex
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from compat_lossscale._atomic_file import file_beside, replacing
from compat_lossscale.pages import escaped
from lossscale_codemods.reports.run_report import FileReport, diff

LEFT_OVER = ".compat-lossscale-"


class WriteRefusedError(Exception):
    """The file was not written and is as it was; the message says why."""


def write_atomically(path: Path, before: bytes, after: bytes, root: Path) -> None:
    """Replaces a file's contents.

    Args:
        path: The file, or a link to it.
        before: What was read from it; if it holds anything else by now, it is left alone.
        after: What it is to hold.
        root: The real path of a folder outside which nothing is written.

    Raises:
        WriteRefusedError: The file is as it was, and why.
    """
    target = Path(os.path.realpath(path))
    if root not in target.parents:
        raise WriteRefusedError(
            f"It is a link to {target}, outside of {root}. Run on that file itself."
        )
    try:
        with _held(target) as (held, status), file_beside(target, LEFT_OVER) as beside:
            _write(beside, after, status, target)
            # The last look is taken when all that is left to do is to rename.
            if _read(held) != before or not os.path.samestat(os.fstat(held), os.lstat(target)):
                raise WriteRefusedError("It changed while it was being migrated. Run again.")
            beside.replace(target)
    except FileNotFoundError as error:
        raise WriteRefusedError("It was removed while it was being migrated. Run again.") from error
    except OSError as error:
        raise WriteRefusedError(f"It cannot be written: {error.strerror or error}.") from error


@contextlib.contextmanager
def _held(target: Path) -> Iterator[tuple[int, os.stat_result]]:
    """Opens the file and locks it, so that two runs at once take turns."""
    # Not following, not blocking: whatever took the file's place meanwhile is refused.
    descriptor = os.open(target, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise WriteRefusedError("It is no regular file any more. Run again.")
        # What root may write all the same was made read-only for a reason.
        if not status.st_mode & 0o222 or not os.access(target, os.W_OK):
            raise WriteRefusedError("It is read-only. Make it writable, then run again.")
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise WriteRefusedError(
                f"Its folder {target.parent} is read-only. Make the folder writable, then run "
                "again."
            )
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise WriteRefusedError("Another program holds a lock on it. Run again.") from None
        except OSError:
            pass  # Some network file systems have no locks.
        yield descriptor, status
    finally:
        os.close(descriptor)


def _read(descriptor: int) -> bytes:
    with os.fdopen(os.dup(descriptor), "rb") as file:
        return file.read()


def _write(beside: Path, after: bytes, status: os.stat_result, target: Path) -> None:
    """Writes the new contents, with the mode, owner and attributes of the old file."""
    with beside.open("wb") as file:
        descriptor = file.fileno()
        file.write(after)
        _keep_owner(descriptor, status)
        _keep_attributes(target, descriptor)
        os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
        file.flush()
        os.fsync(descriptor)


def _keep_owner(descriptor: int, status: os.stat_result) -> None:
    try:
        os.fchown(descriptor, status.st_uid, status.st_gid)
    except OSError:  # Only root gives files away; the group may still be one of ours.
        with contextlib.suppress(OSError):
            os.fchown(descriptor, -1, status.st_gid)


def _keep_attributes(target: Path, descriptor: int) -> None:
    if not hasattr(os, "listxattr"):
        return
    with contextlib.suppress(OSError):
        for name in os.listxattr(target):
            with contextlib.suppress(OSError):
                os.setxattr(descriptor, name, os.getxattr(target, name))


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

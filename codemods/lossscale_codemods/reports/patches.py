# SPDX-License-Identifier: Apache-2.0
"""Changes as unified diffs."""

from __future__ import annotations

import difflib
import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lossscale_codemods.reports.run_report import FileReport

_COLOURS = {b"+": "\x1b[32m", b"-": "\x1b[31m", b"@": "\x1b[36m"}
_RESET = "\x1b[0m"
_ODD = re.compile(rb'[\x00-\x1f\x7f"\\]')


def diff(file: FileReport) -> bytes:
    """Returns the change to a file as a unified diff that `git apply` and `patch` take."""
    if not file.result.changed:
        return b""
    name = os.fsencode(file.path.as_posix().lstrip("/"))
    before, after = _lines(file.result.source), _lines(file.result.output)
    out = []
    for line in difflib.diff_bytes(
        difflib.unified_diff,
        before,
        after,
        _quoted(b"a/" + name),
        _quoted(b"b/" + name),
        lineterm=b"\n",
    ):
        out.append(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n")
    return b"".join(out)


def _quoted(name: bytes) -> bytes:
    """Returns a file name as both tools read it, with whatever is in it."""
    if _ODD.search(name):
        return b'"' + _ODD.sub(lambda odd: b"\\%03o" % odd.group()[0], name) + b'"'
    return name + b"\t" if b" " in name else name


def _lines(source: bytes) -> list[bytes]:
    parts = source.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def coloured(patch: bytes) -> str:
    """Returns a diff that is not empty with terminal colours."""
    out = []
    for line in patch.decode("utf-8", "replace").removesuffix("\n").split("\n"):
        start = line[:1].encode()
        if line.startswith(("+++", "---")):
            out.append(f"\x1b[1m{line}{_RESET}")
        elif start in _COLOURS:
            out.append(f"{_COLOURS[start]}{line}{_RESET}")
        else:
            out.append(line)
    return "\n".join(out) + "\n"

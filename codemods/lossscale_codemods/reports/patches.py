# SPDX-License-Identifier: Apache-2.0
"""Changes as unified diffs."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lossscale_codemods.files import FileReport

_COLOURS = {b"+": "\x1b[32m", b"-": "\x1b[31m", b"@": "\x1b[36m"}
_RESET = "\x1b[0m"


def diff(file: FileReport) -> bytes:
    """Returns the change to a file as a unified diff that `git apply` and `patch` take."""
    if not file.result.changed:
        return b""
    name = file.path.as_posix().lstrip("/").encode("utf-8", "surrogateescape")
    before, after = _lines(file.result.source), _lines(file.result.output)
    out = []
    for line in difflib.diff_bytes(
        difflib.unified_diff, before, after, b"a/" + name, b"b/" + name, lineterm=b"\n"
    ):
        out.append(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n")
    return b"".join(out)


def _lines(source: bytes) -> list[bytes]:
    parts = source.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def coloured(patch: bytes) -> str:
    """Returns a diff with terminal colours."""
    out = []
    for line in patch.decode("utf-8", "replace").splitlines():
        start = line[:1].encode()
        if line.startswith(("+++", "---")):
            out.append(f"\x1b[1m{line}{_RESET}")
        elif start in _COLOURS:
            out.append(f"{_COLOURS[start]}{line}{_RESET}")
        else:
            out.append(line)
    return "\n".join(out) + "\n" if out else ""

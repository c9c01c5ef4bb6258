# SPDX-License-Identifier: Apache-2.0
"""Changes as unified diffs."""

from __future__ import annotations

import difflib
import os
import re
from typing import TYPE_CHECKING

from lossscale_codemods.reports.record_words import observed_words
from lossscale_codemods.vocabulary.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.reports.run_report import FileReport
    from lossscale_codemods.vocabulary.records import Record

_COLOURS = {b"+": "\x1b[32m", b"-": "\x1b[31m", b"@": "\x1b[36m"}
_RESET = "\x1b[0m"
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? ")
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
        if line.startswith(b"@@ "):
            out.append(_marked(line, file.result.records))
            continue
        out.append(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n")
    return b"".join(out)


def _marked(hunk: bytes, records: Sequence[Record]) -> bytes:
    """Says behind the first line of a hunk, where tools read on, what in it is not proven."""
    match = _HUNK.match(hunk)
    if match is None:
        return hunk
    lines = range(int(match[1]), int(match[1]) + int(match[2] or 1))
    places: dict[str, list[str]] = {}
    for one in records:
        kind = "unsafe fix" if one.unsafe else observed_words(one)
        if kind and one.outcome is Outcome.REWRITTEN and (one.cell or one.line in lines):
            place = f"line {one.line}" if one.cell is None else f"cell {one.cell}"
            if place not in places.setdefault(kind, []):
                places[kind].append(place)
    words = "; ".join(f"{kind}: {', '.join(where)}" for kind, where in places.items())
    return hunk.rstrip(b"\n") + f" {words}\n".encode() if words else hunk


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

# SPDX-License-Identifier: Apache-2.0
"""Changes as unified diffs: as patches for `git apply` and `patch`, and for people to read."""

from __future__ import annotations

import dataclasses
import difflib
import io
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from compat_lossscale.pages import escaped
from lossscale_codemods.reports.run_report import FileReport, observed_words
from lossscale_codemods.source.notebook_cells import texts_of
from lossscale_codemods.tables.records import Outcome, Record, Result

_COLOURS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}
_BOLD, _RESET = "\x1b[1m", "\x1b[0m"
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? ")
_ODD = re.compile(rb'[\x00-\x1f\x7f"\\]')


def diff(file: FileReport, name: Path | None = None) -> bytes:
    """Returns the change to a file as a unified diff that `git apply` and `patch` take."""
    if not file.result.changed:
        return b""
    named = os.fsencode((name or name_from_here(file.path)).as_posix())
    texts = (file.result.source, file.result.output)
    before, after = (io.BytesIO(text).readlines() for text in texts)
    out = []
    for line in difflib.diff_bytes(
        difflib.unified_diff,
        before,
        after,
        _quoted(b"a/" + named),
        _quoted(b"b/" + named),
        lineterm=b"\n",
    ):
        if line.startswith(b"@@ "):
            marked = _marked(line.decode("ascii").rstrip("\n"), file.result.records)
            out.append(f"{marked}\n".encode())
            continue
        out.append(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n")
    return b"".join(out)


def name_from_here(path: Path) -> Path:
    """Returns a file's name without `..`: from the current folder or its repository's top on."""
    try:
        here, absolute = Path.cwd(), Path(os.path.abspath(path))  # noqa: PTH100  # keeps links
    except FileNotFoundError:  # The current folder was removed.
        return path
    tops = [folder for folder in absolute.parents if os.path.lexists(folder / ".git")]
    bases = [folder for folder in (here, *tops) if folder in absolute.parents]
    return absolute.relative_to(bases[0] if bases else absolute.anchor)


def for_people(file: FileReport, *, coloured: bool) -> str:
    """Returns a file's change for a terminal: by cell for notebooks, nothing that controls it."""
    result = file.result
    if not result.changed:
        return ""
    name, new = escaped(str(name_from_here(file.path))), texts_of(file.path, result.output)
    texts = [
        (name if cell is None else f"{name}, cell {cell}", source, new[cell], _of(result, cell))
        for cell, source in texts_of(file.path, result.source).items()
        if source != new.get(cell, source)
    ]
    lines = [line for one in texts for line in _readable(*one)]
    return "\n".join(map(_coloured, lines) if coloured else lines)


def _of(result: Result, cell: int | None) -> Sequence[Record]:
    return [dataclasses.replace(one, cell=None) for one in result.records if one.cell == cell]


def _readable(name: str, before: str, after: str, records: Sequence[Record]) -> Iterator[str]:
    """Yields the lines of a diff, in which nothing controls a terminal or reorders text."""
    old, new = before.removesuffix("\n").split("\n"), after.removesuffix("\n").split("\n")
    for line in difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm=""):
        if line.startswith("@@ "):
            yield _marked(line, records)
        else:
            yield escaped(line.removesuffix("\r"), keep="\t")


def _marked(hunk: str, records: Sequence[Record]) -> str:
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
    return f"{hunk} {words}" if words else hunk


def _quoted(name: bytes) -> bytes:
    """Returns a file name as both tools read it, with whatever is in it."""
    if _ODD.search(name):
        return b'"' + _ODD.sub(lambda odd: b"\\%03o" % odd.group()[0], name) + b'"'
    return name + b"\t" if b" " in name else name


def _coloured(line: str) -> str:
    if line.startswith(("+++", "---")):
        return f"{_BOLD}{line}{_RESET}"
    colour = _COLOURS.get(line[:1])
    return f"{colour}{line}{_RESET}" if colour else line

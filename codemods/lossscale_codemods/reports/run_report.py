# SPDX-License-Identifier: Apache-2.0
"""What became of all files of a run, in numbers, words and diffs; reports are made from it.

The exit code is 0 if nothing is left to do, 1 if changes or findings are, 2 if a file could not be
read or written, 3 if both; 130 if the run was interrupted.
"""

from __future__ import annotations

import dataclasses
import difflib
import io
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from compat_lossscale.pages import escaped
from lossscale_codemods.project.discovery import Skipped
from lossscale_codemods.source.notebook_cells import texts_of
from lossscale_codemods.tables.records import Outcome, Record, Result, Status


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


def exit_code(report: RunReport) -> int:
    """Returns 0, or 1 for changes and findings plus 2 for files that failed, or 130."""
    if report.interrupted:
        return 130
    to_do = any(
        (file.result.changed and not file.written) or file.result.count(Outcome.NEEDS_REVIEW)
        for file in report.files
    ) or (report.proof is not None and not report.proof.passed)
    failed = (
        any(file.result.status in (Status.UNREADABLE, Status.REFUSED) for file in report.files)
        or any(skipped.failed for skipped in report.skipped)
        or bool(report.problems)
    )
    return int(to_do) + 2 * int(failed)


def without_findings(code: int) -> int:
    """Returns an exit code that does not tell of changes and findings."""
    return code & ~1 if code < 4 else code


def totals(report: RunReport) -> dict[str, int]:
    """Returns how many files and occurrences came to what."""
    results = [file.result for file in report.files]
    records = [record for result in results for record in result.records]
    rewritten = [record for record in records if record.outcome is Outcome.REWRITTEN]
    outcomes = {one.value: sum(record.outcome is one for record in records) for one in Outcome}
    return {
        "files": report.looked_at,
        "files changed": sum(result.changed for result in results),
        "files written": sum(file.written for file in report.files),
        "unreadable": sum(result.status is Status.UNREADABLE for result in results),
        "refused": sum(result.status is Status.REFUSED for result in results),
        **outcomes,
        "occurrences": len(records) - outcomes[Outcome.MENTIONED.value],
        "kept for older versions": sum(record.for_older_versions for record in records),
        "follow from others": sum(record.follows for record in records),
        "unsafe fixes made": sum(record.unsafe for record in rewritten),
        "observed fixes": sum(record.observed > 0 for record in rewritten),
        "unsafe fixes available": sum(result.unsafe_fixes for result in results),
    }


def proof_words(proof: Proof) -> str:
    """Returns what came of running the program before and after."""
    return f"{proof.program} before and after the migration: {proof.words}"


def message_of(record: Record) -> str:
    """Returns what was done, or why it was not."""
    if record.unsafe and record.outcome is Outcome.REWRITTEN:
        return f"unsafe fix: {record.message}"
    if record.observed:
        return f"{observed_words(record)} in the recorded run: {record.message}"
    return record.message


def observed_words(record: Record) -> str:
    """Returns how often a recorded run came to the place; empty if it decided nothing there."""
    times = "once" if record.observed == 1 else f"{record.observed} times"
    return f"observed {times}" if record.observed else ""


def advice_of(record: Record) -> str:
    """Returns what to do about it; empty if nothing is to be done."""
    if record.unsafe and record.outcome is Outcome.NEEDS_REVIEW:
        return f"{record.advice} A fix is available with --unsafe-fixes.".strip()
    return record.advice


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

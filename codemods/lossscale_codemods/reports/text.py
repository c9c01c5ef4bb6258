# SPDX-License-Identifier: Apache-2.0
"""What a person reads on a terminal: findings, mentions, the summary, and the page of a rule.

The pages are Markdown, in `rules/pages`. They show what a rule changes as a diff, and their
examples are tests as well.
"""

from __future__ import annotations

import collections
import dataclasses
import importlib.resources
import inspect
import os
import re
import textwrap
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from compat_lossscale.pages import escaped
from lossscale_codemods import rules
from lossscale_codemods.reports.run_report import RunReport, advice_of, proof_words, totals
from lossscale_codemods.rules.base import Rule, all_rules
from lossscale_codemods.source.notebook_cells import texts_of
from lossscale_codemods.tables.names import Target
from lossscale_codemods.tables.options import FORMER_IDS
from lossscale_codemods.tables.records import Outcome, Record, Status

_WIDTH = 120
"""Characters of a source line that are shown at most."""
_TAB = 4


def place(path: Path, record: Record) -> str:
    """Returns `file:line:column`, with the cell for notebooks."""
    return f"{escaped(str(path))}:{_place_in_file(record)}"


def _place_in_file(record: Record) -> str:
    cell = f"cell {record.cell}:" if record.cell is not None else ""
    return f"{cell}{record.line}:{record.column}"


def findings(report: RunReport) -> Iterator[str]:
    """Yields what a person has to look at, and what could not be done.

    Of a file, what stops comes first, and then what trains otherwise. Findings of one file that
    say the same are one.
    """
    for file in report.files:
        if file.result.problem:
            problem = escaped(file.result.problem)
            yield f"{escaped(str(file.path))}: {file.result.status.value}: {problem}"
        if file.result.status is Status.REFUSED:
            continue
        records = [one for one in file.result.records if one.is_finding]
        records.sort(key=lambda one: not one.stops)
        texts = texts_of(file.path, file.result.source) if records else {}
        alike: dict[tuple[str, str], list[Record]] = {}
        for record in records:
            what = escaped(f"{record.rule} {record.name}: {record.message}.")
            advice = escaped(f"{advice_of(record)} More: migrate --explain {record.rule}".strip())
            alike.setdefault((what, advice), []).append(record)
        for (what, advice), (first, *others) in alike.items():
            excerpt = _excerpt(texts.get(first.cell, "").split("\n"), first)
            also = [f"Also at {', '.join(map(_place_in_file, others))}."] if others else []
            yield "\n    ".join([f"{place(file.path, first)}: {what}", *excerpt, *also, advice])
    for skipped in report.skipped:
        yield f"{escaped(str(skipped.path))}: skipped: {skipped.reason}."
    yield from map(escaped, report.problems)
    if report.proof is not None:
        yield from map(escaped, proof_words(report.proof).splitlines())


def _excerpt(lines: Sequence[str], record: Record) -> list[str]:
    """Returns the line of a finding, and one that points to the place."""
    if not 0 < record.line <= len(lines):
        return []
    line, start = lines[record.line - 1].rstrip("\r"), record.column - 1
    is_one_line = record.end_line == record.line
    end = max(record.end_column - 1 if is_one_line else len(line.rstrip()), start + 1)
    # Of a line that no terminal has room for, what surrounds the place is enough.
    cut = max(0, start - _WIDTH // 2) if len(line) > _WIDTH else 0
    before = _cells_of(line[cut:start])
    inside = _cells_of(line[start : min(end, cut + _WIDTH)])
    number = str(record.line)
    return [
        f"{number} | {_shown(line[cut : cut + _WIDTH])}".rstrip(),
        f"{' ' * len(number)} | {' ' * before}{'^' * max(inside, 1)}",
    ]


def _shown(text: str) -> str:
    return escaped(text, keep="\t").expandtabs(_TAB)


def _cells_of(text: str) -> int:
    """Returns how many cells of a terminal a text takes."""
    shown = _shown(text)
    return len(shown) + sum(unicodedata.east_asian_width(c) in "WF" for c in shown)


def mentions(report: RunReport) -> Iterator[str]:
    """Yields the old names in comments and strings, which ask for nothing."""
    for file in report.files:
        for record in file.result.records:
            if record.outcome is Outcome.MENTIONED:
                what = escaped(f"{record.rule} {record.name}: {record.message}.")
                yield f"{place(file.path, record)}: {what}"


def statistics(report: RunReport) -> Iterator[str]:
    """Yields how often each rule came to what, the most frequent first."""
    titles = {rule.id: rule.title for rule in all_rules()}
    records = [record for file in report.files for record in file.result.records]
    counts = collections.Counter((record.rule, record.outcome) for record in records)
    for rule, total in collections.Counter(record.rule for record in records).most_common():
        numbers = [f"{counts[rule, one]} {one.value}" for one in Outcome if counts[rule, one]]
        yield f"{total:6,}  {rule}  {titles[rule]}: {', '.join(numbers)}"


def how_to_run(target: Target) -> str:
    """Returns what a migrated program needs."""
    ours = " It needs this package." if target in (Target.COMPAT, Target.KERAS3) else ""
    if target in (Target.KERAS3, Target.KERAS3_ALONE):
        return f"Run the result with Keras 3, and without TF_USE_LEGACY_KERAS.{ours}"
    return f"Run the result with tf-keras installed and TF_USE_LEGACY_KERAS=1.{ours}"


def summary(
    report: RunReport, *, write: bool, to_output: bool = False, target: Target | None = None
) -> str:
    """Returns the last lines of a run: what was found, and what is left to do.

    Args:
        report: The run.
        write: Whether it writes.
        to_output: Whether it writes to standard output instead of files.
        target: What programs are migrated to, if it is to be said how to run the result.
    """
    total = totals(report)
    if report.interrupted and not report.files:
        return "Interrupted before it was known what becomes of each file. Nothing was written."
    if not report.files:
        text = f"No old loss-scale name in {_count(total['files'], 'file')}."
    else:
        parts = [
            f"{total[outcome.value]} {outcome.value}"
            for outcome in (Outcome.REWRITTEN, Outcome.NEEDS_REVIEW, Outcome.SUPPRESSED)
        ]
        kept, following = total["kept for older versions"], total["follow from others"]
        notes = [f"{kept} of them kept for older versions"] * bool(kept)
        notes += [f"{following} of them settled with others"] * bool(following)
        if notes:
            parts[1] += f" ({', '.join(notes)})"
        text = (
            f"{_count(total['occurrences'], 'occurrence')} of old names in "
            f"{_count(total['files'], 'file')}: {', '.join(parts)}."
        )
        failed = [f"{total[k]} {k}" for k in ("unreadable", "refused") if total[k]]
        if failed:
            text += f" Files: {', '.join(failed)}."
        if total[Outcome.MENTIONED.value]:
            text += f" Mentioned in comments and strings: {total[Outcome.MENTIONED.value]}."
        text += _unsafe_fixes(total)
        text += _written(total, write=write, to_output=to_output)
        if target is not None and total["files changed"]:
            text += f"\n{how_to_run(target)}"
            if not write and report.proof is None:
                text += ' `--write --prove "PROGRAM"` writes only if PROGRAM trains as before.'
    if report.interrupted:
        text = (
            "Interrupted; this is what was done until then, and not all files were looked at "
            f"or written. {text}"
        )
    return text


def _written(total: Mapping[str, int], *, write: bool, to_output: bool) -> str:
    """Returns what was written, or would be."""
    if not write:
        if not total["files changed"]:
            return ""
        files = _count(total["files changed"], "file")
        writer = "the hook compat-lossscale-fix" if "PRE_COMMIT" in os.environ else "--write"
        return f" {files} would change; nothing was written ({writer} does)."
    if to_output:
        text = " Wrote the result to standard output."
    else:
        text = f" Wrote {_count(total['files written'], 'file')}."
    left = total[Outcome.NEEDS_REVIEW.value] > total["kept for older versions"]
    if total["files written"] and left:
        # Some of what breaks is right in other new code, so that it cannot be found again.
        text += " Keep the findings: a later run does not report all of them again."
    return text


def _unsafe_fixes(total: Mapping[str, int]) -> str:
    text = ""
    if observed := total["observed fixes"]:
        text += (
            f" {observed} of the rewrites {'is' if observed == 1 else 'are'} observed, not proven."
        )
    if made := total["unsafe fixes made"]:
        text += f" {made} of the rewrites {'is' if made == 1 else 'are'} not proven: read the diff."
    if left := total["unsafe fixes available"]:
        fixes = "fix is" if left == 1 else "fixes are"
        text += f" {left:,} more {fixes} available with --unsafe-fixes."
    return text


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


CHANGED, NOT_HANDLED = "Before and after", "Not handled"
"""Headings of a page: what the rule rewrites by default, and what it reports."""
_EXAMPLE = re.compile(
    r"(?P<unsafe>With `--unsafe-fixes`:\n\n)?```(?P<kind>diff|python)\n(?P<lines>.*?)```\n"
    r"(?:\nReported(?: with `(?P<option>--[a-z-]+)`)?: (?P<finding>[^\n]+)\n)?",
    re.DOTALL,
)


@dataclasses.dataclass(frozen=True)
class Example:
    """A program before and after a rule, or one that the rule leaves.

    Attributes:
        shown: How the page shows it.
        before: The program as it was.
        after: What becomes of it.
        finding: What is reported, if something is.
        option: The option that it is migrated with, if there is one.
    """

    shown: str
    before: str
    after: str
    finding: str = ""
    option: str = ""


def documentation(rule: Rule) -> str:
    """Returns what a rule does and why, and what its rows say, if it has a table."""
    rows = (textwrap.fill(f"- {one}", 100, subsequent_indent="  ") for one in rule.says)
    return "\n".join([_page(rule)[0].rstrip(), "", *rows]).rstrip()


def section(rule: Rule, heading: str) -> str:
    """Returns a section of a rule's page; an empty text if the page has none of this heading."""
    texts = dict(one.split("\n\n", 1) for one in _page(rule)[1:])
    return texts.get(heading, "")


def examples(text: str) -> Iterator[Example]:
    """Yields the examples of a section in the order in which they stand."""
    for found in _EXAMPLE.finditer(text):
        lines = found["lines"].splitlines(keepends=True)
        before = after = found["lines"]
        if found["kind"] == "diff":
            before = "".join(one[1:] or one for one in lines if one[0] != "+")
            after = "".join(one[1:] or one for one in lines if one[0] != "-")
        option = "--unsafe-fixes" if found["unsafe"] else found["option"] or ""
        yield Example(found["lines"], before, after, found["finding"] or "", option)


def explain(rule_id: str) -> str | None:
    """Returns a rule's page as Markdown; nothing if there is no such rule."""
    now = FORMER_IDS.get(rule_id, rule_id)
    rule = next((rule for rule in all_rules() if rule.id == now), None)
    if rule is None:
        return None
    parts = [f"# {rule.id}: {rule.title}", documentation(rule)]
    if now != rule_id:
        parts.insert(0, f"{rule_id} is a part of {now} now.")
    return "\n\n".join([*parts, *(f"## {one}" for one in _page(rule)[1:])])


def _page(rule: Rule) -> list[str]:
    """Returns the parts of a rule's page; the docstring of a rule that has no page."""
    file = importlib.resources.files(rules) / "pages" / f"{rule.id.lower()}.md"
    page = file.read_text("utf-8") if file.is_file() else f"{inspect.getdoc(type(rule))}\n"
    return page.split("\n## ")

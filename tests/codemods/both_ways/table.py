# SPDX-License-Identifier: Apache-2.0
"""Shows what was found of the programs in the documentation, one table a target.

python -m tests.codemods.both_ways.table
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from lossscale_codemods.tables.names import WITH_KERAS_3, Target

from tests.codemods.both_ways.explaining import Kind
from tests.codemods.both_ways.programs import GOLDEN, RULES
from tests.codemods.both_ways.results import HERE, Results, not_yet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_FAMILIES = {GOLDEN: "golden scenarios", RULES: "the rules' own examples"}
_SAME: Final = {Kind.SAME: "Same to the bit"}
_CLOSE: Final = {Kind.CLOSE: "Same within rounding"}
_FOUND: Final = {
    Kind.AT_THE_LINE: "Finding at the line",
    Kind.IN_WHAT_IT_READS: "Finding in what it reads",
}


def path(target: Target) -> Path:
    """Returns where the table of a target is."""
    return HERE / ("table.md" if target is Target.TF_KERAS else f"table-{target.value}.md")


def text(results: Results) -> str:
    """Returns the table, in Markdown."""
    return "\n".join(_lines(results)) + "\n"


def write(results: Results) -> None:
    """Writes the table."""
    path(results.target).write_text(text(results), "utf-8")


def _lines(results: Results) -> Iterator[str]:
    counts: dict[str, Counter[Kind]] = {}
    for name, kind in results.all().items():
        if kind not in (Kind.NOT_A_PROGRAM, Kind.NOTHING_OLD):
            counts.setdefault(name.split("/")[0], Counter())[kind] += 1
    total = sum(counts.values(), Counter())
    close = _CLOSE if results.target in WITH_KERAS_3 else {}
    columns = {**_SAME, **close, **_FOUND}
    yield "<!-- Made by `python -m tests.codemods.both_ways.table`; do not edit. -->"
    yield f"| Programs | Number | {' | '.join(columns.values())} | Different without a finding |"
    yield f"| {' | '.join(['---'] * (len(columns) + 3))} |"
    for family, of_family in sorted(counts.items()):
        yield _row(_FAMILIES.get(family, family.replace("_", " ")), of_family, columns)
    yield _row("all", total, columns)
    listed = not_yet(results.target)
    if listed:
        yield ""
        yield "Migrated wrongly, so far:"
        yield ""
    for name, reason in listed.items():
        yield f"- `{name}`: {reason}"


def _row(name: str, counts: Counter[Kind], columns: Mapping[Kind, str]) -> str:
    cells = (counts.total(), *(counts[kind] for kind in columns), counts[Kind.WRONG])
    return f"| {name} | {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    for one in Target:
        write(Results(one))

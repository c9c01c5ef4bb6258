# SPDX-License-Identifier: Apache-2.0
"""The codemod page's table of programs that were run both ways, made from `results.json`.

python -m tests.codemods.both_ways.table
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.codemods.both_ways.explaining import Kind
from tests.codemods.both_ways.programs import GOLDEN, RULES
from tests.codemods.both_ways.results import Results, not_yet

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLE: Final = Path(__file__).with_name("table.md")
_FAMILIES = {GOLDEN: "golden scenarios", RULES: "the rules' own examples"}
_COLUMNS = {
    Kind.SAME: "Same to the bit",
    Kind.AT_THE_LINE: "Finding at the line",
    Kind.IN_WHAT_IT_READS: "Finding in what it reads",
}


def text(results: Results) -> str:
    """Returns the table, in Markdown."""
    return "\n".join(_lines(results)) + "\n"


def write(results: Results) -> None:
    """Writes the table."""
    TABLE.write_text(text(results), "utf-8")


def _lines(results: Results) -> Iterator[str]:
    counts: dict[str, Counter[Kind]] = {}
    for name, kind in results.all().items():
        if kind not in (Kind.NOT_A_PROGRAM, Kind.NOTHING_OLD):
            counts.setdefault(name.split("/")[0], Counter())[kind] += 1
    total = sum(counts.values(), Counter())
    yield "<!-- Made by `python -m tests.codemods.both_ways.table`; do not edit. -->"
    yield f"| Programs | Number | {' | '.join(_COLUMNS.values())} | Different without a finding |"
    yield f"| {' | '.join(['---'] * (len(_COLUMNS) + 3))} |"
    for family, of_family in sorted(counts.items()):
        yield _row(_FAMILIES.get(family, family.replace("_", " ")), of_family)
    yield _row("all", total)
    if not_yet():
        yield ""
        yield "Migrated wrongly, so far:"
        yield ""
    for name, reason in not_yet().items():
        yield f"- `{name}`: {reason}"


def _row(name: str, counts: Counter[Kind]) -> str:
    cells = (counts.total(), *(counts[kind] for kind in _COLUMNS), counts[Kind.WRONG])
    return f"| {name} | {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    write(Results())

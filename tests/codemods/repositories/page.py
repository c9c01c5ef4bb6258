# SPDX-License-Identifier: Apache-2.0
"""The table on the codemod's page, made from `figures.json`.

python -m tests.codemods.repositories.page
"""

from __future__ import annotations

import collections
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lossscale_codemods.rules.registry import all_rules

FIGURES = Path(__file__).with_name("figures.json")
PAGE = Path(__file__).with_name("figures.md")


def text(figures: Mapping[str, Any]) -> str:
    """Returns the tables, in Markdown."""
    return "\n".join(_lines(figures)) + "\n"


def _lines(figures: Mapping[str, Any]) -> Iterator[str]:
    yield "<!-- Made by `python -m tests.codemods.repositories.page`; do not edit. -->"
    yield from _summary(figures)
    yield ""
    yield (
        "| Repository | Commit | Files | Occurrences | Kept for older versions | Rewritten "
        "| With unsafe fixes | Left with them |"
    )
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |"
    for name, one in sorted(figures.items(), key=lambda pair: pair[0].lower()):
        proven, unsafe = one["proven"], one["unsafe"]
        yield (
            f"| [{name}](https://github.com/{name}) | `{one['commit'][:7]}` | {one['files']:,} "
            f"| {proven['occurrences']} | {proven['kept'] or ''} | {proven['rewritten']} "
            f"| {unsafe['rewritten']} | {_rules(unsafe['left'])} |"
        )
    yield ""
    yield "| Left | Rule | Without unsafe fixes | With them |"
    yield "| --- | --- | ---: | ---: |"
    titles = {rule.id: rule.title for rule in all_rules()}
    proven_left, unsafe_left = _left(figures, "proven"), _left(figures, "unsafe")
    for rule, number in proven_left.most_common():
        yield f"| {titles[rule]} | {rule} | {number} | {unsafe_left[rule]} |"


def _summary(figures: Mapping[str, Any]) -> Iterator[str]:
    occurrences = _sum(figures, "proven", "occurrences")
    kept = _sum(figures, "proven", "kept")
    rewritten, unsafe = _sum(figures, "proven", "rewritten"), _sum(figures, "unsafe", "rewritten")
    rest = occurrences - kept
    yield (
        f"{len(figures)} repositories have {occurrences:,} occurrences. Of these, {kept} are kept "
        f"for older versions, in branches that only these come to. Of the other {rest}, "
        f"{rewritten} are rewritten ({rewritten / rest:.0%}), and {unsafe} with "
        f"`--unsafe-fixes` ({unsafe / rest:.0%})."
    )
    seconds = sorted(one["proven"]["seconds"] for one in figures.values())
    files = sum(one["files"] for one in figures.values())
    problems = sum(
        len({*one["proven"]["problems"], *one["unsafe"]["problems"]}) for one in figures.values()
    )
    yield (
        f"Of {files:,} files looked at, every changed one compiles, is laid out by a formatter as "
        "before if it was, and is not changed again by a second run"
        f"{f', with {problems} exceptions' if problems else ''}. A repository takes "
        f"{seconds[len(seconds) // 2]:.0f} seconds in the middle and {seconds[-1]:.0f} at most, "
        "with `--jobs 1`."
    )


def _sum(figures: Mapping[str, Any], run: str, what: str) -> int:
    return sum(one[run][what] for one in figures.values())


def _left(figures: Mapping[str, Any], run: str) -> collections.Counter[str]:
    left: collections.Counter[str] = collections.Counter()
    for one in figures.values():
        left.update(one[run]["left"])
    return left


def _rules(left: Mapping[str, int]) -> str:
    return ", ".join(f"{rule} {number}" if number > 1 else rule for rule, number in left.items())


if __name__ == "__main__":
    PAGE.write_text(text(json.loads(FIGURES.read_text(encoding="utf-8"))), encoding="utf-8")

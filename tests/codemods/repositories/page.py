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

from lossscale_codemods.rules.base import all_rules

from tests.codemods.repositories.measure import GROUPS, LOSS_SCALE

FIGURES = Path(__file__).with_name("figures.json")
PAGE = Path(__file__).with_name("figures.md")
_, _FAMILY, _NEIGHBOURS, _DERIVED = GROUPS


def text(figures: Mapping[str, Any]) -> str:
    """Returns the tables, in Markdown."""
    return "\n".join(_lines(figures)) + "\n"


def _lines(figures: Mapping[str, Any]) -> Iterator[str]:
    yield "<!-- Made by `python -m tests.codemods.repositories.page`; do not edit. -->"
    yield from _summary(figures)
    yield ""
    yield (
        "| Repository | Commit | Files | Old names | Kept for older versions | Rewritten "
        "| With unsafe fixes | Left with them | Optimizers | Neighbours |"
    )
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: |"
    for name, one in sorted(figures.items(), key=lambda pair: pair[0].lower()):
        proven, unsafe = (one[run]["groups"][LOSS_SCALE] for run in ("proven", "unsafe"))
        others = [_share(one["unsafe"]["groups"][group]) for group in (_FAMILY, _NEIGHBOURS)]
        yield (
            f"| [{name}](https://github.com/{name}) | `{one['commit'][:7]}` | {one['files']:,} "
            f"| {_all(proven)} | {proven['kept'] or ''} | {proven['rewritten']} "
            f"| {unsafe['rewritten']} | {_rules(unsafe['left'])} | {' | '.join(others)} |"
        )
    yield ""
    yield "| Left | Rule | Without unsafe fixes | With them |"
    yield "| --- | --- | ---: | ---: |"
    titles = {rule.id: rule.title for rule in all_rules()}
    proven_left, unsafe_left = _left(figures, "proven"), _left(figures, "unsafe")
    for rule, number in proven_left.most_common():
        yield f"| {titles[rule]} | {rule} | {number} | {unsafe_left[rule]} |"


def _all(count: Mapping[str, Any]) -> int:
    number: int = count["rewritten"] + count["kept"] + sum(count["left"].values())
    return number


def _share(count: Mapping[str, Any]) -> str:
    """Returns how many of a group's names are rewritten, of those that may be."""
    rest = count["rewritten"] + sum(count["left"].values())
    return f"{count['rewritten']} of {rest}" if rest else ""


def _summary(figures: Mapping[str, Any]) -> Iterator[str]:
    proven, unsafe = (_total(figures, run, LOSS_SCALE) for run in ("proven", "unsafe"))
    rest = _all(proven) - proven["kept"]
    yield (
        f"{len(figures)} repositories have {_all(proven):,} old names of the loss-scale API. Of "
        f"these, {proven['kept']} are kept for older versions, in branches that only these run. "
        f"Of the other {rest}, {_part(proven['rewritten'], rest)} are rewritten, and "
        f"{_part(unsafe['rewritten'], rest)} with `--unsafe-fixes`."
    )
    yield (
        f"People have {_findings(proven)} to look at; with `--unsafe-fixes`, {_findings(unsafe)}. "
        "One cause is one finding: an import that stays for a use is not counted again."
    )
    derived = sum(_total(figures, "proven", _DERIVED)["left"].values())
    yield (
        f"{derived} more findings are about subclasses of the current optimizer "
        "(LS206). These are not old names, so none of these figures counts them."
    )
    yield (
        "These programs also use optimizers of Keras, whose family a migration keeps: "
        f"{_shares(figures, _FAMILY)}. They also use neighbours, which are names that "
        "TensorFlow, NumPy or Python removed, most of them without an exact successor: "
        f"{_shares(figures, _NEIGHBOURS)}."
    )
    seconds = sorted(one["proven"]["seconds"] for one in figures.values())
    files = sum(one["files"] for one in figures.values())
    problems = sum(
        len({*one["proven"]["problems"], *one["unsafe"]["problems"]}) for one in figures.values()
    )
    yield (
        f"Of {files:,} files looked at, every changed one compiles and "
        "does not change in a second run"
        f"{f', with {problems} exceptions' if problems else ''}. With `--jobs 1`, the "
        f"median time of a repository is {seconds[len(seconds) // 2]:.0f} seconds, and the "
        f"longest time is {seconds[-1]:.0f} seconds."
    )


def _findings(count: Mapping[str, Any]) -> str:
    """Returns how many findings there are, and how many for each rewritten name."""
    number: int = count["findings"]
    share = f" ({number / count['rewritten']:.2f} for each rewritten name)"
    return f"{number} findings{share if count['rewritten'] else ''}"


def _shares(figures: Mapping[str, Any], group: str) -> str:
    """Returns how many of a group's names are rewritten, and of how many."""
    proven, unsafe = (_total(figures, run, group) for run in ("proven", "unsafe"))
    rest = _all(proven) - proven["kept"]
    more = unsafe["rewritten"] - proven["rewritten"]
    share = f"{proven['rewritten']} of {rest:,} are rewritten ({proven['rewritten'] / rest:.1%})"
    return share + (f", and {more} more with `--unsafe-fixes`" if more else "")


def _part(number: int, of: int) -> str:
    return f"{number:,} ({number / of:.1%})" if of else f"{number:,}"


def _total(figures: Mapping[str, Any], run: str, group: str) -> dict[str, Any]:
    found = [one[run]["groups"][group] for one in figures.values()]
    left: collections.Counter[str] = collections.Counter()
    for one in found:
        left.update(one["left"])
    return {
        "rewritten": sum(one["rewritten"] for one in found),
        "kept": sum(one["kept"] for one in found),
        "left": left,
        "findings": sum(one["findings"] for one in found),
    }


def _left(figures: Mapping[str, Any], run: str) -> collections.Counter[str]:
    left: collections.Counter[str] = collections.Counter()
    for group in GROUPS:
        left.update(_total(figures, run, group)["left"])
    return left


def _rules(left: Mapping[str, int]) -> str:
    return ", ".join(f"{rule} {number}" if number > 1 else rule for rule, number in left.items())


if __name__ == "__main__":
    PAGE.write_text(text(json.loads(FIGURES.read_text(encoding="utf-8"))), encoding="utf-8")

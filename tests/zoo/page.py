# SPDX-License-Identifier: Apache-2.0
"""The results of the zoo, and the documentation's tables of them.

python -m tests.zoo.page
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.zoo.families import FAMILIES, TITLES

RESULTS = Path(__file__).with_name("results.json")
RULINGS = Path(__file__).with_name("rulings.json")
TABLE = Path(__file__).with_name("table.md")
KINDS = (
    "same bits",
    "rounding",
    "random",
    "as stock",
    "better",
    "differs",
    "fails",
    "stands still",
)
GOOD = KINDS[:5]
"""What needs no ruling."""
Results = dict[str, dict[str, Any]]


def results() -> Results:
    """What was recorded: the versions, how many cases there are, and verdicts, by family."""
    return json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}  # type: ignore[no-any-return]


def rulings() -> dict[str, str]:
    """Why a case may differ, by a pattern of `family: name`."""
    return json.loads(RULINGS.read_text("utf-8"))  # type: ignore[no-any-return]


def ruling(family: str, name: str) -> str | None:
    """Why a case of a family may differ from stock, if that is known."""
    found = [why for one, why in rulings().items() if re.search(one, f"{family}: {name}")]
    return found[0] if found else None


def needs_a_ruling(family: str, name: str, one: Mapping[str, str]) -> bool:
    """Whether a verdict is a difference without a ruling."""
    return one["kind"] not in GOOD and ruling(family, name) is None


def record(family: str, new: Mapping[str, Any], every: Sequence[str]) -> None:
    """Adds results of a family, with the versions that are installed, and writes the tables.

    Args:
        family: The one that was run.
        new: The verdicts by the names of the cases.
        every: The names of all cases. Results of others go.
    """
    backend = next(one.backend for one in FAMILIES if one.name == family)
    keras = "keras" if family.startswith("keras3") else "tf-keras"
    versions = {name: importlib.metadata.version(name) for name in (keras, backend)}
    versions = {name: version.partition("+")[0] for name, version in versions.items()}
    found = results()
    cases = found.get(family, {"cases": {}})["cases"] | new
    cases = {name: cases[name] for name in every if name in cases}
    found[family] = {"versions": versions, "of": len(every), "cases": cases}
    found = {name: found[name] for name in TITLES if name in found}
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    TABLE.write_text(text(found), encoding="utf-8")


def text(found: Results) -> str:
    """Returns the tables, in Markdown."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Results) -> Iterator[str]:
    yield "<!-- Made by `python -m tests.zoo`; do not edit. -->"
    families = [one for one in TITLES if one in found]
    yield from _summary(found)
    yield ""
    yield f"| Cases | {' | '.join(TITLES[one] for one in families)} |"
    yield f"| --- |{' --- |' * len(families)}"
    groups = dict.fromkeys(
        name.partition(":")[0] for one in families for name in found[one]["cases"]
    )
    for group in groups:
        cells = [
            _counts(Counter(
                one["kind"]
                for name, one in found[family]["cases"].items()
                if name.startswith(f"{group}:")
            ))
            for family in families
        ]  # fmt: skip
        yield f"| {group} | {' | '.join(cells)} |"
    recorded = [f"{len(found[one]['cases'])} of {found[one]['of']}" for one in families]
    yield f"| recorded | {' | '.join(recorded)} |"
    yield f"| versions | {' | '.join(_versions(found[one]) for one in families)} |"
    yield from _exceptions(found, families)


def _summary(found: Results) -> Iterator[str]:
    kinds = Counter(one["kind"] for family in found.values() for one in family["cases"].values())
    of = sum(family["of"] for family in found.values())
    yield f"{sum(kinds.values()):,} of {of:,} cases are recorded: {_counts(kinds)}."


def _counts(kinds: Counter[str]) -> str:
    return ", ".join(f"{kinds[kind]:,} {kind}" for kind in KINDS if kinds[kind]) or "-"


def _versions(family: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {version}" for name, version in family["versions"].items())


def _exceptions(found: Results, families: list[str]) -> Iterator[str]:
    """What is not the same but for rounding; cases with the same words in one row."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for family in families:
        for name, one in found[family]["cases"].items():
            if one["kind"] in ("same bits", "rounding"):
                continue
            case, _, policy = name.rpartition(", ")
            why = ruling(family, name) if one["kind"] not in GOOD else None
            words = one["kind"] + ("" if why else f": `{_short(one['why'])}`")
            rows.setdefault((TITLES[family], case, f"{words} | {why or ''}"), []).append(policy)
    yield ""
    yield "| Family | Case | Policies | Verdict | Why |"
    yield "| --- | --- | --- | --- | --- |"
    for (family, case, words), policies in rows.items():
        yield f"| {family} | {case} | {', '.join(policies)} | {words} |"


def _short(error: str) -> str:
    """The beginning of an error, as a table cell takes it."""
    error = error.replace("|", "/").replace("`", "'")
    return textwrap.shorten(error, 120, placeholder=" ...")


if __name__ == "__main__":
    TABLE.write_text(text(results()), encoding="utf-8")

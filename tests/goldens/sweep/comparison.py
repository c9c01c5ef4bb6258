# SPDX-License-Identifier: Apache-2.0
"""Compares what the expressions give here with what they gave under the real old TensorFlows.

Where the two differ, `rulings.json` says whose answer is given instead, and why.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from sweep import expressions

HERE: Final = Path(__file__).resolve().parent
RESULTS: Final = HERE / "results"
RULINGS: Final = HERE / "rulings.json"
OWN: Final = "own"
"""Instead of a version: no recorded version gives this answer."""

_RENAMED = {"LossScaleOptimizerV1": "LossScaleOptimizer", "PolicyV1": "Policy"}
"""The private names that 2.4 gave to classes that it still exported under their old names."""

Results = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Ruling:
    """Which answer some expressions have instead of that of some versions.

    Attributes:
        expressions: A regular expression for whole expressions.
        versions: The versions whose answer they do not have.
        side: The version whose answer they have, or `OWN`.
        why: The reason.
    """

    expressions: str
    versions: Sequence[str]
    side: str
    why: str

    def covers(self, expression: str, version: str) -> bool:
        """Whether it rules on an expression of a version."""
        return version in self.versions and re.fullmatch(self.expressions, expression) is not None


def read_rulings() -> list[Ruling]:
    """Reads every ruling."""
    return [Ruling(**ruling) for ruling in json.loads(RULINGS.read_text(encoding="utf-8"))]


def read_results() -> dict[str, Results]:
    """Reads what was recorded, by version."""
    return {
        version: json.loads((RESULTS / f"{version}.json").read_text(encoding="utf-8"))
        for version in expressions.ALL
    }


def differences(recorded: Mapping[str, Results], ours: Mapping[str, Results]) -> Iterator[Any]:
    """Yields each expression and version whose answers differ.

    Args:
        recorded: What was recorded, by version.
        ours: What is given here, by version.
    """
    for version, results in recorded.items():
        for expression, expected in results.items():
            if not agrees(expected, ours[version][expression]):
                yield expression, version


def agrees(expected: Any, actual: Any) -> bool:
    """Whether a program that expects one answer is content with another.

    Values must be equal, floats nearly. An object may have further base classes, and an error may
    be of further kinds and say more.
    """
    if isinstance(expected, dict):
        return (
            isinstance(actual, dict)
            and expected.keys() == actual.keys()
            and all(_agrees_on(key, expected[key], actual[key]) for key in expected)
        )
    if isinstance(expected, list):
        return (
            isinstance(actual, list)
            and len(expected) == len(actual)
            and all(map(agrees, expected, actual))
        )
    if isinstance(expected, float) and isinstance(actual, float):
        return abs(expected - actual) <= 1e-6 * max(1.0, abs(expected))
    return type(expected) is type(actual) and bool(expected == actual)


def _agrees_on(key: str, expected: Any, actual: Any) -> bool:
    if key == "error":
        return expected[0] in actual
    if key == "is":
        return {_RENAMED.get(name, name) for name in expected} <= set(actual)
    if key == "words":
        said = " ".join(actual).lower()
        return all(_RENAMED.get(word, word).lower() in said for word in expected)
    return agrees(expected, actual)

# SPDX-License-Identifier: Apache-2.0
"""Which of upstream's tests may fail, and why."""

from __future__ import annotations

import dataclasses
import fnmatch
import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.upstream.suites import Run

FILE = Path(__file__).with_suffix(".json")


@dataclasses.dataclass(frozen=True)
class Ruling:
    """One reason for which tests fail.

    Attributes:
        runs: Names of runs, as patterns, such as `keras/policy_test v2 *`.
        tests: Names of tests, as patterns. All that fit must fail.
        why: Which two versions contradict each other, or why ours is better for the user.
    """

    runs: tuple[str, ...]
    tests: tuple[str, ...]
    why: str

    def names(self, run: Run, test: str) -> bool:
        """Returns whether it is about a test in a run."""
        return any(fnmatch.fnmatchcase(run.name, one) for one in self.runs) and any(
            fnmatch.fnmatchcase(test, one) for one in self.tests
        )


def load() -> list[Ruling]:
    """Returns the rulings of this repository."""
    return [
        Ruling(tuple(one["runs"]), tuple(one["tests"]), one["why"])
        for one in json.loads(FILE.read_text(encoding="utf-8"))
    ]


def complaints(
    run: Run, outcomes: Mapping[str, Mapping[str, str]], known: Sequence[Ruling]
) -> dict[str, str]:
    """Returns the tests whose outcome is not what the rulings say, each with what is wrong.

    Args:
        run: What was run.
        outcomes: The outcome of each test.
        known: The rulings.
    """
    wrong = {}
    for test, result in outcomes.items():
        is_ruled = any(ruling.names(run, test) for ruling in known)
        if result["outcome"] == "failed" and not is_ruled:
            wrong[test] = result["why"]
        elif result["outcome"] == "passed" and is_ruled:
            wrong[test] = "passes, but has a ruling"
    return wrong

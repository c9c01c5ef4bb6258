# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import fnmatch

import pytest

from tests.upstream import rulings
from tests.upstream.rulings import Ruling
from tests.upstream.suites import SUITES

RUN = SUITES[0].runs()[0]
KNOWN = [Ruling((RUN.name,), ("Test.test_ruled*",), "why")]
PASSED = {"outcome": "passed"}
FAILED = {"outcome": "failed", "why": "AssertionError"}
SKIPPED = {"outcome": "skipped", "why": "eager only"}


@pytest.mark.parametrize(
    "outcomes",
    [
        {"Test.test_other": PASSED},
        {"Test.test_other": SKIPPED},
        {"Test.test_ruled_eager": FAILED, "Test.test_ruled_graph": SKIPPED},
    ],
)
def test_what_the_rulings_say_is_no_complaint(outcomes: dict[str, dict[str, str]]) -> None:
    assert not rulings.complaints(RUN, outcomes, KNOWN)


def test_a_failure_without_a_ruling_is_one() -> None:
    found = rulings.complaints(RUN, {"Test.test_other": FAILED}, KNOWN)
    assert found == {"Test.test_other": "AssertionError"}


def test_a_ruling_for_a_test_that_passes_is_one() -> None:
    found = rulings.complaints(RUN, {"Test.test_ruled": PASSED}, KNOWN)
    assert found == {"Test.test_ruled": "passes, but has a ruling"}


def test_a_ruling_is_about_the_runs_that_it_names() -> None:
    other = SUITES[0].runs()[1]
    found = rulings.complaints(other, {"Test.test_ruled": FAILED}, KNOWN)
    assert found == {"Test.test_ruled": "AssertionError"}


def test_every_ruling_is_about_a_run_and_gives_a_reason() -> None:
    names = [run.name for suite in SUITES for run in suite.runs()]
    for ruling in rulings.load():
        assert ruling.tests
        assert ruling.why.endswith(".")
        for pattern in ruling.runs:
            assert fnmatch.filter(names, pattern), pattern

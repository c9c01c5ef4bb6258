# SPDX-License-Identifier: Apache-2.0
"""Small expressions of every kind give here what they gave under the real old TensorFlows."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sweep import comparison, expressions
from test_traces import ENVIRONMENT

from tests import forked_python

SERVER = Path(__file__).with_name("serve.py")
# TensorFlow 1.15 was recorded with the graphs that it has by default.
RUNS = {("1.15",): True, ("2.1", "2.3", "2.4"): False}
needs_private = pytest.mark.needs_private(
    "tf-keras' public functions refuse policies of integers, and write policies as dictionaries"
)


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, comparison.Results]:
    folder = tmp_path_factory.mktemp("sweep")
    requests = [
        {
            "script": str(comparison.HERE / "evaluate.py"),
            "tf1": tf1,
            "folder": str(folder),
            "output": str(folder / versions[0]),
            "errors": str(folder / f"errors-{versions[0]}"),
            "arguments": versions,
        }
        for versions, tf1 in RUNS.items()
    ]
    done = subprocess.run(
        forked_python.command(str(SERVER)),
        input="".join(json.dumps(request) + "\n" for request in requests),
        capture_output=True,
        text=True,
        env={**ENVIRONMENT, "TF_USE_LEGACY_KERAS": "1"},
        check=True,
    )
    assert done.stdout.split() == ["0", "0"], done.stderr[-3000:]
    results = {}
    for versions in RUNS:
        found = json.loads((folder / versions[0]).read_text())
        results.update(dict.fromkeys(versions, found))
    return results


@pytest.fixture(scope="module")
def differing(ours: dict[str, comparison.Results]) -> set[tuple[str, str]]:
    return set(comparison.differences(comparison.read_results(), ours))


@needs_private
def test_an_expression_gives_what_it_gave_or_has_a_ruling(
    ours: dict[str, comparison.Results], differing: set[tuple[str, str]]
) -> None:
    recorded, rulings = comparison.read_results(), comparison.read_rulings()
    missing = [
        f"{version}: {expression}\n"
        f"  expected {recorded[version][expression]}\n"
        f"  got      {ours[version][expression]}"
        for expression, version in sorted(differing)
        if not any(ruling.covers(expression, version) for ruling in rulings)
    ]
    assert not missing, "\n".join([f"{len(missing)} differ:", *missing])


@needs_private
def test_a_ruling_says_whose_answer_is_given(
    ours: dict[str, comparison.Results], differing: set[tuple[str, str]]
) -> None:
    recorded = comparison.read_results()
    wrong = []
    for ruling in comparison.read_rulings():
        for expression, version in differing:
            if ruling.covers(expression, version):
                given = ours[version][expression]
                agreeing = {
                    other
                    for other, results in recorded.items()
                    if expression in results and comparison.agrees(results[expression], given)
                }
                if ruling.side not in (agreeing or {comparison.OWN}):
                    wrong.append((expression, version, ruling.side, sorted(agreeing)))
    assert not wrong


@needs_private
def test_every_ruling_is_needed_for_each_of_its_versions(differing: set[tuple[str, str]]) -> None:
    stale = [
        (ruling.expressions, version)
        for ruling in comparison.read_rulings()
        for version in ruling.versions
        if not any(v == version and ruling.covers(e, v) for e, v in differing)
    ]
    assert not stale


@needs_private
def test_a_ruling_covers_no_expression_that_agrees(differing: set[tuple[str, str]]) -> None:
    too_wide = [
        (ruling.expressions, expression, version)
        for ruling in comparison.read_rulings()
        for version in ruling.versions
        for expression in comparison.read_results()[version]
        if ruling.covers(expression, version) and (expression, version) not in differing
    ]
    assert not too_wide


@pytest.mark.parametrize("version", expressions.ALL)
def test_the_recorded_expressions_are_those_of_the_tables(version: str) -> None:
    assert set(comparison.read_results()[version]) == set(expressions.expressions([version]))
    assert len(expressions.expressions([version])) >= 500


AGREE = [
    (1.0, 1.0 + 1e-9),
    ({"error": ["ValueError"], "words": []}, {"error": ["Own", "ValueError"], "words": ["opt"]}),
    ({"error": ["OSError"], "words": ["opt"]}, {"error": ["OSError"], "words": ["OPT", "b"]}),
    ({"is": ["PolicyV1", "Policy"]}, {"is": ["Own", "Policy"]}),
    ([1, {"a": None}], [1, {"a": None}]),
]  # fmt: skip
DISAGREE = [
    (1.0, 1.1),
    (1, True),
    (1, 1.0),
    ({"error": ["ValueError"], "words": []}, {"error": ["TypeError"], "words": []}),
    ({"error": ["ValueError"], "words": ["opt"]}, {"error": ["ValueError"], "words": ["inner"]}),
    ({"is": ["Policy"]}, {"is": ["Own"]}),
    ({"error": ["ValueError"], "words": []}, None),
    ([1], [1, 2]),
    ({"a": 1}, {"a": 1, "b": 2}),
]


@pytest.mark.parametrize(("expected", "actual"), AGREE)
def test_an_answer_that_serves_the_same_program_agrees(expected: Any, actual: Any) -> None:
    assert comparison.agrees(expected, actual)


@pytest.mark.parametrize(("expected", "actual"), DISAGREE)
def test_any_other_answer_differs(expected: Any, actual: Any) -> None:
    assert not comparison.agrees(expected, actual)


@needs_private
def test_no_expression_has_two_rulings_for_a_version(differing: set[tuple[str, str]]) -> None:
    rulings = comparison.read_rulings()
    found = Counter(place for ruling in rulings for place in differing if ruling.covers(*place))
    assert [place for place, count in found.items() if count > 1] == []

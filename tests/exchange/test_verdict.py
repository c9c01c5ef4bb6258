# SPDX-License-Identifier: Apache-2.0
"""Tests of what counts as going on."""

from __future__ import annotations

from typing import Any

from tests.exchange.verdict import Verdict, judge

NAN = "nan"


def steps(*weights: Any, scale: float = 8.0) -> list[dict[str, Any]]:
    return [{"variables": [[weight], 0.5], "loss scale": scale} for weight in weights]


def test_the_same_bits_are_the_same_and_nan_is_itself() -> None:
    assert judge(steps(1.0, NAN), steps(1.0, NAN)) == Verdict("same")


def test_what_is_a_rounding_away_is_close() -> None:
    verdict = judge(steps(1.0, 200.0001), steps(1.0, 200.0))
    assert verdict.kind == "close"
    assert 4e-7 < verdict.difference < 6e-7


def test_another_value_or_one_that_is_not_there_differs_and_is_named() -> None:
    assert judge(steps(1.0), steps(1.1)) == Verdict("differs", parts=("variables",))
    assert judge(steps(NAN), steps(1.1)) == Verdict("differs", parts=("variables",))
    fewer: list[dict[str, Any]] = [{"variables": [[1.0], 0.5]}]
    assert judge(fewer, steps(1.0)) == Verdict("differs", parts=("loss scale",))


def test_what_the_loader_itself_loses_is_said_apart() -> None:
    again = steps(1.0, scale=64.0)
    assert judge(again, steps(1.0), steps(1.0), again).kind == "as its loader"


def test_what_the_saver_itself_lost_is_said_apart() -> None:
    reloaded = steps(1.0, scale=64.0)
    verdict = judge(steps(1.0, scale=64.0), steps(1.0), reloaded)
    assert verdict == Verdict("as its saver", parts=("loss scale",))
    assert judge(steps(2.0, scale=64.0), steps(1.0), reloaded).kind == "differs"
    assert judge(steps(1.0, scale=64.0), steps(1.0), {"error": "x"}).kind == "differs"


def test_an_error_fails_and_a_verdict_survives_json() -> None:
    for verdict in (
        judge({"error": "KeyError: 'x'"}, steps(1.0)),
        judge(steps(1.0), steps(1.1)),
        judge(steps(1.0), steps(1.0)),
    ):
        assert Verdict.from_json(verdict.as_json()) == verdict


def test_variables_of_a_graph_are_parts_by_their_names() -> None:
    graph = [{"tower/weight": 1.0, "tower/weight/Adam": 1.0, "cond_1/Adam/iter": 3, "x": 1}]
    other = [{"tower/weight": 2.0, "tower/weight/Adam": 2.0, "cond_1/Adam/iter": 4, "x": 1}]
    assert judge(graph, other).parts == ("iterations", "slots", "variables")

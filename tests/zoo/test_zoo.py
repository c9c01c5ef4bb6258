# SPDX-License-Identifier: Apache-2.0
"""A sample of the zoo on this process' backend, and that its tables name everything Keras has.

`make test` takes every 90th case, `make nightly` all of them.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.zoo import cases, layers, models, optimizers, page
from tests.zoo.families import Family, of_this_process

FAMILIES = of_this_process()
CASES = {f"{one.name}: {case.name}": case for one in FAMILIES for case in cases.cases(one)}


@pytest.mark.sampled(180)
@pytest.mark.parametrize("name", [name for name, one in CASES.items() if not one.takes_long])
def test_a_case_trains_as_with_stock(name: str) -> None:
    case = CASES[name]
    verdict = cases.verdict(case)
    ruling = page.ruling(case.family.name, case.name)
    assert verdict.kind in page.GOOD or ruling is not None, f"{verdict.kind}: {verdict.why}"


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name, one in CASES.items() if one.takes_long])
def test_a_large_model_trains_as_with_stock(name: str) -> None:
    test_a_case_trains_as_with_stock(name)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda one: one.name)
def test_the_tables_have_everything_that_keras_has(family: Family) -> None:
    missing = {
        "layers": set(layers.names(family)) - set(layers.ROWS),
        "applications": set(models.applications(family)) - set(models.APPLICATIONS),
        "optimizers": set(optimizers.names(family)) - set(optimizers.OWN),
    }
    assert not any(missing.values()), f"Add rows to the tables in tests/zoo: {missing}"


def test_names_of_cases_are_their_own() -> None:
    for family in FAMILIES:
        names = [case.name for case in cases.cases(family)]
        assert len(names) == len(set(names)) > 300


def _values(weight: float, scale: float = 8.0) -> dict[str, list[object]]:
    return {"variables": [np.array([1.0, weight])], "scale": [np.array([scale, 1.0])]}


@pytest.mark.parametrize(
    ("weight", "scale", "kind"),
    [
        (2.0, 8.0, "same bits"),
        (2.00001, 8.0, "rounding"),
        (2.001, 8.0, "differs"),
        (float("nan"), 8.0, "differs"),
        (2.0, 16.0, "differs"),
    ],
)
def test_what_counts_as_the_same(weight: float, scale: float, kind: str) -> None:
    assert cases.compare(_values(2.0), _values(weight, scale), 1e-5).kind == kind


@pytest.mark.parametrize(
    ("stock", "ours", "kind"),
    [
        ("ValueError: x", "ValueError: y", "as stock"),
        ("ValueError: x", "TypeError: y", "fails"),
        (None, "TypeError: y", "fails"),
        ("ValueError: x", None, "better"),
        (None, None, "same bits"),
    ],
)
def test_what_counts_as_failing(
    monkeypatch: pytest.MonkeyPatch, stock: str | None, ours: str | None, kind: str
) -> None:
    monkeypatch.setattr(
        cases,
        "outcome",
        lambda case, is_ours: cases.Outcome(ours if is_ours else stock, _values(2.0), moved=True),
    )
    assert cases.verdict(next(iter(CASES.values()))).kind == kind


@pytest.mark.parametrize(("stock_moves", "kind"), [(True, "stands still"), (False, "as stock")])
def test_a_model_that_does_not_move_is_no_success(
    monkeypatch: pytest.MonkeyPatch, stock_moves: bool, kind: str
) -> None:
    monkeypatch.setattr(
        cases,
        "outcome",
        lambda case, is_ours: cases.Outcome(None, _values(2.0), stock_moves and not is_ours),
    )
    assert cases.verdict(next(iter(CASES.values()))).kind == kind


def test_recorded_differences_have_rulings_and_rulings_differences() -> None:
    found = page.results()
    bad = [
        f"{family}: {name}"
        for family, one in found.items()
        for name, verdict in one["cases"].items()
        if verdict["kind"] not in page.GOOD
    ]
    assert [one for one in bad if page.ruling(*one.split(": ", 1)) is None] == []
    used = {page.ruling(*one.split(": ", 1)) for one in bad}
    assert [why for why in page.rulings().values() if why not in used] == []


def test_the_table_is_made_from_the_results() -> None:
    assert page.TABLE.read_text("utf-8") == page.text(page.results())
    assert json.loads(page.RESULTS.read_text("utf-8")).keys() == set(page.TITLES)

# SPDX-License-Identifier: Apache-2.0
"""The report on a run as a page, read without a browser."""

from __future__ import annotations

from compat_lossscale import loss_scale_report
from tests.pages.reading import Page
from tests.watching.histories import history_of, skipping

ATTACK = "</script><img src=x onerror=alert(1)>/kernel"


def page_of(history: dict[str, list[object]]) -> Page:
    return Page(loss_scale_report(history).to_html())


def test_a_run_with_trouble_says_what_to_do_and_why() -> None:
    history = history_of(skipping(400, range(8), 100), initial_scale=2.0**30)
    history["overflow_variable"] = [None] * 400
    history["overflow_share"] = [0.0] * 400
    history["overflow_variable"][100], history["overflow_share"][100] = "dense/kernel", 0.25
    page = page_of(history)
    assert [one.text for one in page.all("h1")] == ["Loss scale report"]
    assert "What to do" in [one.text for one in page.all("h2")]
    (rule,) = page.all("article", "rule")
    assert "Begin lower: initial_scale=2.0**22." in rule.text
    assert "The first 8 steps of the run were skipped" in rule.text
    titles = [one.text for one in page.all("title")]
    assert "step 101: 1 step was skipped, dense/kernel first (25.00%)" in titles
    assert [one.text for one in page.all("th")][-1] == "dense/kernel"


def test_a_healthy_run_has_nothing_to_do() -> None:
    page = page_of(history_of(skipping(50)))
    assert "Nothing to do" in [one.text for one in page.all("h2")]
    assert page.all("article") == []


def test_a_fixed_scale_is_shown_too() -> None:
    page = page_of({"loss_scale": [0.0, 0.0]})
    assert "A fixed loss scale: no step was skipped." in page.all("p", "lead")[0].text


def test_it_loads_nothing_and_runs_nothing_of_what_it_shows() -> None:
    history = history_of(skipping(3, 1))
    history["overflow_variable"] = [None, ATTACK, None]
    history["overflow_share"] = [0.0, 0.5, 0.0]
    page = page_of(history)
    assert page.loaded() == []
    assert page.handlers() == []
    assert ATTACK in page.all("table")[0].text


def test_a_long_run_makes_a_small_page() -> None:
    finite = skipping(50_000, *range(0, 50_000, 7))
    assert len(loss_scale_report(history_of(finite)).to_html()) < 300_000

# SPDX-License-Identifier: Apache-2.0
"""The page of a verification: every artefact with its losses, adding up, inert."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from compat_lossscale.formats.html_page import as_html_page
from compat_lossscale.formats.verification import ArtefactStatus, Verification, verify_artefact
from compat_lossscale.spec import Generation, LossScaleSpec
from tests.formats.samples import ARTEFACTS, SGD
from tests.pages.reading import Page

ATTACK = "</script></td><img src=x onerror=alert(1)>"


@pytest.fixture
def results(tmp_path: Path) -> list[Verification]:
    contents = {
        "lossless.json": {"inner_optimizer": SGD, "dynamic": True, "initial_scale": 8.0},
        "lossy.json": {
            "optimizer": SGD,
            "loss_scale": LossScaleSpec(multiplier=4).to_loss_scale_config(),
        },
        "none.json": {"learning_rate": 0.5},
        "<img src=x onerror=alert(1)>.json": {
            "inner_optimizer": {"class_name": ATTACK, "config": {ATTACK: f"{ATTACK}\u202e\ud800"}},
            "dynamic": False,
            "initial_scale": 8.0,
        },
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(json.dumps(content))
    (tmp_path / "broken.json").write_text('{"' + ATTACK)
    return [verify_artefact(str(path)) for path in sorted(tmp_path.iterdir())]


def test_the_numbers_are_those_of_the_results_and_add_up(results: list[Verification]) -> None:
    html = as_html_page(results)
    tiles = [int(n) for n in re.findall(r"</dt><dd>(\d+)</dd></div>", html)[:5]]
    assert tiles == [5, 2, 1, 1, 1]
    rows = [
        [int(n) for n in re.findall(r"<td>(\d+)</td>", row)] for row in re.findall("<tr>.*", html)
    ]
    numbers = [row for row in rows if row]
    assert all(lossless + lossy == together for lossless, lossy, together in numbers)
    assert [sum(column) for column in zip(*numbers[:-1], strict=True)] == numbers[-1]
    made = sum(len(conversions) for r in results for _, conversions in r.conversions)
    assert numbers[-1][-1] == made == len(Page(html).all("li"))


def test_every_loss_says_what_and_why_and_configs_stand_side_by_side(
    results: list[Verification],
) -> None:
    page = Page(as_html_page(results))
    paths = [Path(e.attributes["data-path"]).name for e in page.all("article", "file")]
    assert paths[0] == "broken.json"
    assert paths[-1] == "none.json"
    shown = [" ".join(e.text.split()) for e in page.all("div")]
    for result in results:
        for _, conversions in result.conversions:
            for field in (field for made in conversions for field in made.lost):
                assert any(field.name in text and field.reason in text for text in shown)
    assert '  "inner_optimizer": {' in [e.text for e in page.all("td", "old")]
    assert '  "optimizer": {' in [e.text for e in page.all("td", "new")]


def test_configs_that_lose_something_come_first() -> None:
    path = str(ARTEFACTS / "2.3" / "configs.json")
    page = Page(as_html_page([verify_artefact(path, targets=[Generation.TF_KERAS])]))
    chips = [e.text for e in page.all("span", "chip") if e.text in ("1 lost", "lossless")]
    assert chips == sorted(chips)
    assert set(chips) == {"1 lost", "lossless"}


def test_whatever_the_files_hold_stays_text(results: list[Verification]) -> None:
    html = as_html_page(
        results, deep=[{"path": ATTACK, "where": ATTACK, "outcome": "equal", "reason": ATTACK}]
    )
    html.encode()
    page = Page(html)
    assert page.loaded() == []
    assert page.handlers() == []
    assert len(page.all("script")) == 1
    assert ATTACK in " ".join(e.text for e in page.all("code"))


def test_real_artefacts_say_what_they_hold_and_what_not() -> None:
    page = Page(as_html_page([verify_artefact(str(ARTEFACTS / "2.3" / "model.h5"))]))
    facts = [e.text for e in page.all("dd")]
    assert "HDF5 model (.h5)" in facts
    assert "state of optimizer_weights: iterations 6, 4 slots" in facts
    assert any(fact.startswith("the current loss scale and its counter") for fact in facts)


def test_a_huge_config_is_not_shown_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    config = {"class_name": "Own", "config": {"x": ["y"] * 20_000}}
    path.write_text(json.dumps({"inner_optimizer": config, "dynamic": True}))
    result = verify_artefact(str(path))
    assert result.status is not ArtefactStatus.UNREADABLE
    assert len(as_html_page([result])) < 60_000

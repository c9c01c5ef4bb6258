# SPDX-License-Identifier: Apache-2.0
"""The page of a migration: complete without a script, adding up, and inert whatever is in it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from lossscale_codemods.reports import html_page
from lossscale_codemods.reports.html_page import as_html_page
from lossscale_codemods.reports.run_report import RunReport, totals
from lossscale_codemods.running import migrate_files
from lossscale_codemods.tables.options import Options
from lossscale_codemods.tables.records import Outcome

from tests.codemods.runs import ATTACK, OLD, make_project, migrated
from tests.pages.reading import Page


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    make_project()
    return tmp_path


def shown(*, write: bool = False) -> tuple[RunReport, str]:
    run = migrated(write=write)
    return run, as_html_page(run, write=write, target="tf-keras")


def test_the_numbers_are_those_of_the_run_and_add_up(project: Path) -> None:
    run, html = shown()
    found = totals(run)
    page = Page(html)
    tiles = dict(re.findall(r"<dt>([^<]*)</dt><dd>([\d,]+)</dd>", html))
    parts = [found[o.value] for o in (Outcome.REWRITTEN, Outcome.NEEDS_REVIEW, Outcome.SUPPRESSED)]
    assert [int(n) for n in tiles.values()] == [sum(parts), *parts, 1, 1]
    assert list(tiles)[-2:] == ["unreadable file", "refused file"]
    rows = re.findall(r"<tr><th scope=\"row\">(.*?)</th>(.*?)</tr>", html)
    numbers = [[int(n) for n in re.findall(r"<td>(\d+)</td>", row)] for _, row in rows]
    *by_rule, together = [row for row in numbers if row]
    assert (
        [sum(column) for column in zip(*by_rule, strict=True)] == together == [*parts, sum(parts)]
    )
    listed = [e.attributes["data-status"] for e in page.all("li") if "data-status" in e.attributes]
    for outcome in Outcome:
        assert listed.count(outcome.value.replace(" ", "-")) == found[outcome.value]
    filters = [e for e in page.all("input") if e.attributes.get("name") == "status"]
    assert [e.attributes["value"] for e in filters] == [
        "rewritten", "needs-review", "suppressed", "mentioned", "unreadable", "refused",
    ]  # fmt: skip


def test_code_is_shown_in_the_file_s_own_encoding(project: Path) -> None:
    source = (
        "# -*- coding: gbk -*-\nimport tensorflow as tf\n"
        "f(tf.keras.mixed_precision.experimental.LossScaleOptimizer)  # \u4e2d\u6587\n"
    )
    (project / "chinese.py").write_bytes(source.encode("gbk"))
    _, html = shown()
    assert "\u4e2d\u6587" in html


def test_every_finding_says_rule_reason_and_what_to_do_and_links_to_the_rule(project: Path) -> None:
    run, html = shown()
    page = Page(html)
    ids = {e.attributes["id"] for e in page.elements if "id" in e.attributes}
    texts = [" ".join(e.text.split()) for e in page.all("li")]
    for file in run.files:
        for record in file.result.records:
            hits = [
                text
                for text in texts
                if record.rule in text
                and record.message.replace("`", "").split("\n")[0].rstrip(".") in text
                and record.advice.replace("`", "") in text
                and f"line {record.line}, column {record.column}" in text
            ]
            assert hits, record
            assert f"rule-{record.rule}" in ids
    for link in page.all("a"):
        if link.attributes["href"].startswith("#"):
            assert link.attributes["href"][1:] in ids


def test_what_a_person_has_to_do_comes_first(project: Path) -> None:
    _, html = shown()
    paths = [e.attributes["data-path"] for e in Page(html).all("article", "file")]
    assert paths[:2] == ["broken.py", "refused.py"]
    assert paths[2] == "review.py"
    assert paths[-1] == "suppressed.py"


def test_changes_are_side_by_side_and_notebooks_by_cell(project: Path) -> None:
    _, html = shown()
    page = Page(html)
    old = [e.text for e in page.all("td", "old")]
    new = [e.text for e in page.all("td", "new")]
    assert "tf.keras.mixed_precision.experimental.set_policy('float32')" in old
    assert "tf.keras.mixed_precision.set_global_policy('float32')" in new
    assert "Changes in cell 2" in [e.text for e in page.all("h4")]
    assert "U+000C" in [e.text for e in page.all("span", "hidden")]


def test_whatever_the_files_hold_stays_text(project: Path) -> None:
    _, html = shown()
    page = Page(html)
    assert page.loaded() == []
    assert page.handlers() == []
    assert len(page.all("script")) == 1
    assert ATTACK in "".join(e.text for e in page.all("td"))
    assert "<img src=x onerror=alert(1)>.py" in [e.text for e in page.all("h3")]
    for address in re.findall(r"(?:href|xlink:href)=\"([^\"]*)\"", html):
        assert address.startswith(("#", "https://"))


def test_the_page_is_built_for_readers_of_every_kind(project: Path) -> None:
    _, html = shown()
    page = Page(html)
    assert html.startswith('<!doctype html>\n<html lang="en">')
    for landmark in ("header", "main", "footer", "h1", "form"):
        assert len(page.all(landmark)) == 1
    labels = [e.text.strip() for e in page.all("label")]
    assert len(labels) == len(page.all("input") + page.all("select"))
    assert all(labels)
    assert len(page.all("table", "diff")) == html.count('<caption class="unseen">Changes') + len(
        [e for e in page.all("caption") if e.text.startswith("An example of")]
    )
    assert "hidden" in page.all("form")[0].attributes, "the filters need the script"
    assert all("hidden" not in e.attributes for e in page.all("article") + page.all("li"))


def test_what_was_written_is_said(project: Path) -> None:
    assert "Nothing was written: this is what <code>--write</code> would do." in shown()[1]
    _, html = shown(write=True)
    assert "The changes below were written." in html
    assert "3 changed, 1 unreadable, 1 refused, 3 written." in html
    Path("empty").mkdir()
    run = migrate_files.run([Path("empty")], Options())
    html = as_html_page(run, write=False, target="tf-keras")
    assert "No old loss-scale name was found" in html
    assert "Nothing would be changed." in html
    assert not Page(html).all("form")


def test_a_name_that_is_no_text_is_shown(project: Path) -> None:
    Path(os.fsdecode(b"caf\xe9.py")).write_text(OLD)
    assert "caf\ufffd.py" in shown()[1].encode().decode()


def test_many_findings_start_closed_and_are_all_there(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html_page, "_OPEN_ROWS", 60)
    call = OLD.splitlines(keepends=True)[1]
    for number in range(5):
        Path(f"many{number}.py").write_text("import tensorflow as tf\n" + (call + "\n" * 8) * 5)
    run, html = shown()
    page = Page(html)
    details = page.all("details")
    assert "open" in details[0].attributes
    assert "open" not in details[-1].attributes
    found = totals(run)
    assert found["occurrences"] > 25
    assert len(page.all("li")) == found["occurrences"] + found["mentioned"]
    assert len(html) < 8_000 * found["occurrences"]

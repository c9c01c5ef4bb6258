# SPDX-License-Identifier: Apache-2.0
"""The committed pages of rules and of old names are what the code says."""

from __future__ import annotations

import functools
from pathlib import Path

from lossscale_codemods.rules.base import all_rules
from lossscale_codemods.tables import names
from lossscale_codemods.tables.names import BESIDE, Meaning, lookup

from tools import rule_pages

page = functools.cache(rule_pages.names_page)
pages = functools.cache(rule_pages.pages)
PAGE = Path(__file__).parents[2] / "docs" / "names.md"
FOLDER = PAGE.parent / "codemod" / "rules"


def test_the_committed_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == page(), "run `python -m tools.rule_pages`"


def test_every_kind_of_old_name_is_in_the_table() -> None:
    paths = [f"{home}.{name}" for home, listed in rule_pages.HOMES.items() for name in listed]
    found = {old.meaning for path in paths if (old := lookup(path))}
    assert found == set(Meaning) - {Meaning.MODULE} - BESIDE


def test_every_old_name_is_in_the_table() -> None:
    listed = {name for listed in rule_pages.HOMES.values() for name in listed}
    assert listed >= names.MEMBERS - {"experimental"}


def test_no_cell_is_empty() -> None:
    assert "|  |" not in page()


def test_the_committed_pages_of_rules_are_current() -> None:
    committed = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.md")}
    assert committed == pages(), "run `python -m tools.rule_pages`"


def test_pages_of_rules_that_are_gone_are_deleted(tmp_path: Path) -> None:
    (tmp_path / "ls000.md").touch()
    rule_pages.write(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(pages())


def test_every_rule_has_a_page() -> None:
    for rule in all_rules():
        assert f"# {rule.id}: {rule.title}\n" in pages()[f"{rule.id.lower()}.md"]
        assert f"[{rule.id}]({rule.id.lower()}.md)" in pages()["index.md"]

# SPDX-License-Identifier: Apache-2.0
"""The committed migration guide is what rules and names say, and leaves none of them out."""

from __future__ import annotations

import functools
from pathlib import Path

from lossscale_codemods.reports import migration_guide
from lossscale_codemods.rules.registry import all_rules
from lossscale_codemods.vocabulary import names
from lossscale_codemods.vocabulary.names import BESIDE, Meaning, lookup

page = functools.cache(migration_guide.page)
PAGE = Path(__file__).parents[3] / "docs" / "migration.md"


def test_the_committed_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == page(), (
        "run `python -m lossscale_codemods.reports.migration_guide > docs/migration.md`"
    )


def test_every_kind_of_old_name_is_in_the_table() -> None:
    paths = [f"{home}.{name}" for home, listed in migration_guide.HOMES.items() for name in listed]
    found = {old.meaning for path in paths if (old := lookup(path))}
    assert found == set(Meaning) - {Meaning.MODULE} - BESIDE


def test_every_old_name_is_in_the_table() -> None:
    every = {name for home in migration_guide.HOMES for name in names.members(home)}
    assert {name for listed in migration_guide.HOMES.values() for name in listed} >= every


def test_every_example_of_every_rule_that_says_something_has_its_row() -> None:
    _, _, rows = page().partition("\n## Imports and aliases\n")
    for rule in all_rules():
        said = [case for case in rule.valid if case.review]
        expected = len(rule.invalid) + len(said)
        assert rows.count(f"[{rule.id}]") >= max(expected, 1), rule.id


def test_no_cell_of_old_spellings_is_empty() -> None:
    assert "| |" not in page().replace("|  |\n", "")
    assert "\n|  |" not in page()

# SPDX-License-Identifier: Apache-2.0
"""The committed table of old names is what the names say, and leaves none of them out."""

from __future__ import annotations

import functools
from pathlib import Path

from lossscale_codemods.reports import rule_reference
from lossscale_codemods.tables import names
from lossscale_codemods.tables.names import BESIDE, Meaning, lookup

page = functools.cache(rule_reference.names_page)
PAGE = Path(__file__).parents[3] / "docs" / "names.md"


def test_the_committed_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == page(), (
        "run `python -m lossscale_codemods.reports.rule_reference docs`"
    )


def test_every_kind_of_old_name_is_in_the_table() -> None:
    paths = [f"{home}.{name}" for home, listed in rule_reference.HOMES.items() for name in listed]
    found = {old.meaning for path in paths if (old := lookup(path))}
    assert found == set(Meaning) - {Meaning.MODULE} - BESIDE


def test_every_old_name_is_in_the_table() -> None:
    every = {name for home in rule_reference.HOMES for name in names.members(home)}
    assert {name for listed in rule_reference.HOMES.values() for name in listed} >= every


def test_no_cell_is_empty() -> None:
    assert "|  |" not in page()

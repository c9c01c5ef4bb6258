# SPDX-License-Identifier: Apache-2.0
"""The page in the documentation is what the table says."""

from __future__ import annotations

from compat_lossscale.neighbour_names import SIGNATURES, TABLE
from tests.support import REPOSITORY
from tools import neighbours_page as page


def test_the_page_is_made_from_the_table() -> None:
    text = (REPOSITORY / "docs" / "neighbours.md").read_text("utf-8")
    assert text == page.page(), "run: python -m tools.neighbours_page > docs/neighbours.md"


def test_every_name_is_on_the_page_once() -> None:
    names, _, signatures = page.page().partition("## Signatures")
    rows = [line for line in names.splitlines() if line.startswith("| `")]
    assert all(
        f"| `{one.path.replace('tensorflow', 'tf', 1)}` |" in signatures for one in SIGNATURES
    )
    named = [name for row in rows for name in row.split("|")[1].replace("`", "").split(",")]
    assert sorted(name.strip() for name in named) == sorted(one.name for one in TABLE)

# SPDX-License-Identifier: Apache-2.0
"""The description of the house, and its drawing, know every room and no other."""

from __future__ import annotations

import re

from tests.docs.fences import ROOT
from tools import tree

DRAWING = (ROOT / "docs" / "house.svg").read_text("utf-8")


def test_the_table_has_every_room() -> None:
    table = tree.table()
    for folder in tree.PACKAGES:
        package = ROOT / folder
        for module in package.rglob("*.py"):
            room = module.relative_to(package).parts[0]
            name = f"{package.name}/{room}" if module.parent != package else package.name
            assert f"| `{name}` |" in table
    assert "|  |" not in table.replace("` |  |", "", len(tree.PACKAGES)), "a room says nothing"


def test_what_is_drawn_is_there() -> None:
    names = [
        name
        for text in re.findall(r'class="name"[^>]*>([^<]+)<', DRAWING)
        for name in text.split(" · ")
    ]
    files = {path.stem for path in ROOT.rglob("compat_lossscale/*")} | {"lossscale_codemods"}
    assert names
    assert set(names) <= files


def test_the_drawing_loads_nothing() -> None:
    assert re.findall(r"https?://[^\"]+", DRAWING) == ["http://www.w3.org/2000/svg"]

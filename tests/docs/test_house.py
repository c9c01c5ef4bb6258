# SPDX-License-Identifier: Apache-2.0
"""The description of the house, and its drawing, know every room and no other."""

from __future__ import annotations

import re

from tests.docs.fences import ROOT
from tools import tree

PAGE = (ROOT / "docs" / "how-it-works.md").read_text("utf-8")
DRAWING = (ROOT / "docs" / "house.svg").read_text("utf-8")


def test_the_tree_is_made_from_the_packages() -> None:
    assert tree.page() == PAGE, "run: python -m tools.tree"
    block = tree.tree()
    for folder in tree.PACKAGES:
        for module in (ROOT / folder).rglob("*.py"):
            is_rule = module.parent.name == "rules" and module.name.startswith("ls")
            assert module.stem == "__init__" or is_rule or f" {module.name} " in f"{block} "


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

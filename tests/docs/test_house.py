# SPDX-License-Identifier: Apache-2.0
"""The description of the house, and its drawing, know every room and no other."""

from __future__ import annotations

import re

from tests.docs.fences import ROOT

PAGE = (ROOT / "docs" / "how-it-works.md").read_text("utf-8")
DRAWING = (ROOT / "docs" / "house.svg").read_text("utf-8")
# Their names say what they are.
FRONT = {"__init__.py", "__main__.py", "_require.py", "_version.py", "experimental.py", "v1.py"}


def test_every_module_of_the_shim_is_described() -> None:
    package = ROOT / "compat_lossscale"
    rooms = (
        "cli",
        "arguments",
        "core",
        "equivalence",
        "formats",
        "keras3",
        "legacy",
        "optimizers",
        "pages",
        "policies",
        "recording",
        "spec",
        "steps",
        "tf1",
        "watching",
    )
    modules = {
        path.name
        for folder in (package, *(package / room for room in rooms))
        for path in folder.glob("*.py")
    }
    tree = PAGE.split("```text")[1].split("```")[0]
    described = set(re.findall(r"[\w/]+\.py", tree))
    assert modules - FRONT <= described


def test_every_module_of_the_codemod_is_described() -> None:
    package = ROOT / "codemods" / "lossscale_codemods"
    rules = re.compile(r"ls\d{3}_\w+\.py")
    modules = {path.name for path in package.rglob("*.py") if not rules.fullmatch(path.name)}
    tree = PAGE.split("codemods/lossscale_codemods/    ")[1].split("```")[0]
    assert modules - FRONT == set(re.findall(r"\w+\.py", tree))


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

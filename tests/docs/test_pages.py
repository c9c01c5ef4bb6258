# SPDX-License-Identifier: Apache-2.0
"""Every command and every program that the documentation shows does what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.fences import ROOT, RUN, UNKNOWN, fences, problems

MADE_BY_A_PROGRAM = ("docs/codemod/rules.md", "docs/migration.md")
"""Their examples are the rules' own, and tested with these."""
PAGES = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    if not {"_build", "_generated"}.intersection(path.parts)
)
RUN_PAGES = [
    page
    for page in PAGES
    if page not in MADE_BY_A_PROGRAM
    and any(
        one.language in RUN and not one.shown_only
        for one in fences((ROOT / page).read_text("utf-8"))
    )
]


@pytest.mark.parametrize("page", RUN_PAGES)
def test_what_a_page_shows_is_what_happens(page: str, tmp_path: Path) -> None:
    assert not problems((ROOT / page).read_text("utf-8"), tmp_path)


@pytest.mark.parametrize("page", PAGES)
def test_programs_and_commands_stand_in_blocks_that_are_run(page: str) -> None:
    blocks = fences((ROOT / page).read_text("utf-8"))
    assert not [one.line for one in blocks if one.language in UNKNOWN]


PAGE = """\
<!-- file: one.py -->
```python
print("one")
```

```console
$ python one.py
{shown}
```

<!-- shown only: it needs two computers -->
```console
$ false
```
"""


def test_a_page_that_tells_the_truth(tmp_path: Path) -> None:
    assert problems(PAGE.format(shown="o..."), tmp_path) == []


def test_a_page_that_does_not(tmp_path: Path) -> None:
    assert "one" in problems(PAGE.format(shown="two"), tmp_path)[0]


@pytest.mark.parametrize("text", ["$ false", "pip install it"])
def test_a_command_that_fails_or_is_none(text: str, tmp_path: Path) -> None:
    assert problems(f"```console\n{text}\n```\n", tmp_path)


def test_a_program_that_fails(tmp_path: Path) -> None:
    assert "SystemExit" not in problems("```python\nraise ValueError\n```\n", tmp_path)[0]

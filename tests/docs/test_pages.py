# SPDX-License-Identifier: Apache-2.0
"""Every command and every program that the documentation shows does what it shows."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.docs.fences import ROOT, fences, problems

MADE_BY_A_PROGRAM = "docs/codemod/rules/"
"""Their examples are the rules' own, and tested with these."""
PAGES = sorted(
    str(path.relative_to(ROOT))
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    if not {"_build", "_generated"}.intersection(path.parts)
)
WRITTEN_BY_HAND = [page for page in PAGES if not page.startswith(MADE_BY_A_PROGRAM)]
# Tests of whole models and of proofs, and the README, do the same as these in less time.
NIGHTLY = {"docs/old-models.md", "docs/prove-your-migration.md", "docs/start.md"}
# They start with another Keras, in processes that share nothing, or prove a program.
SLOW = {
    "README.md",
    "docs/after.md",
    "docs/guide.md",
    "docs/jax.md",
    "docs/keras3.md",
    "docs/workers.md",
}
MARKS = {**dict.fromkeys(NIGHTLY, pytest.mark.nightly), **dict.fromkeys(SLOW, pytest.mark.slow)}
RUN_PAGES = [
    pytest.param(page, marks=MARKS.get(page, ()))
    for page in WRITTEN_BY_HAND
    if any(one.is_run for one in fences((ROOT / page).read_text("utf-8")))
]


@pytest.mark.parametrize("page", RUN_PAGES)
def test_what_a_page_shows_is_what_happens(page: str, tmp_path: Path) -> None:
    # In `make nightly`, the first page's programs start as they do for a user. Others start faster.
    text = (ROOT / page).read_text("utf-8")
    # What starts faster has imported Keras on TensorFlow.
    chooses_keras = "KERAS_BACKEND=" in text or "os.environ[" in text
    slow = chooses_keras or (page == "README.md" and bool(os.environ.get("ALL_CASES")))
    assert not problems(text, tmp_path, tensorflow_may_be_imported=not slow)


@pytest.mark.parametrize("page", WRITTEN_BY_HAND)
def test_what_is_not_run_says_why(page: str) -> None:
    blocks = fences((ROOT / page).read_text("utf-8"))
    assert not [one.line for one in blocks if not (one.is_run or one.file or one.shown_only)]
    for one in blocks:
        for test in re.findall(r"(?:tests|tools)/[\w/.]+", one.shown_only or ""):
            assert (ROOT / test.rstrip(".")).exists(), test


@pytest.mark.parametrize("page", PAGES)
def test_every_block_says_its_language(page: str) -> None:
    lines = re.findall(r"^ *```(.*)$", (ROOT / page).read_text("utf-8"), re.MULTILINE)
    assert all(lines[::2])
    assert not any(lines[1::2])


@pytest.mark.parametrize("page", PAGES)
def test_no_page_has_a_definition_list(page: str) -> None:
    # Neither GitHub nor the documentation renders them.
    assert not re.findall(r"^ *: .*", (ROOT / page).read_text("utf-8"), re.MULTILINE)


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

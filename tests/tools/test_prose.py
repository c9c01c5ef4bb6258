# SPDX-License-Identifier: Apache-2.0
"""The check for plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools import prose

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("word", sorted(prose.USE_INSTEAD))
def test_each_word_is_found_with_what_to_write_instead(word: str) -> None:
    text = f"A line.\n{word.capitalize()} in another.\n"
    assert (2, word.capitalize(), prose.USE_INSTEAD[word]) in list(prose.problems(text))


@pytest.mark.parametrize(
    "line", ["Every variable.", "`simply`", "a_very_long_name", "very  # prose: keep"]
)
def test_other_words_names_and_kept_lines_are_left(line: str) -> None:
    assert list(prose.problems(line)) == []


def test_a_file_is_named_with_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "page.md"
    file.write_text("Fine.\nYou shall.\n")
    assert prose.main([str(file)]) == 1
    assert capsys.readouterr().out == f"{file}:2: 'shall': write must, will\n"
    file.write_text("Fine.\n")
    assert prose.main([str(file)]) == 0

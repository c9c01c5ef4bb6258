# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.codemods.both_ways.programs import CORPUS, read_family

LICENSE = "# SPDX-License-Identifier: Apache-2.0\n"
FAMILY = f'''{LICENSE}"""Programs."""

# %% first
"""Prints."""

print(1)

# %% second/main.py
from parts.two import two

# %% second/parts/__init__.py

# %% second/parts/two.py
two = 2
'''


def test_a_family_is_read_as_programs_of_one_and_of_several_files() -> None:
    assert read_family(FAMILY) == {
        "first": {"first.py": f'{LICENSE}"""Prints."""\n\nprint(1)\n'},
        "second": {
            "main.py": f"{LICENSE}from parts.two import two\n",
            "parts/__init__.py": LICENSE,
            "parts/two.py": f"{LICENSE}two = 2\n",
        },
    }


def test_line_one_of_a_program_is_its_heading() -> None:
    lines = FAMILY.splitlines()
    program = read_family(FAMILY)["first"]["first.py"].splitlines()
    heading = lines.index("# %% first")
    assert lines[heading + 1 : heading + len(program)] == program[1:]


def test_two_programs_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two programs 'first'"):
        read_family(f"{FAMILY}\n# %% first\nprint(2)\n")


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.py")), ids=lambda path: path.stem)
def test_the_programs_of_a_family_stand_in_alphabetical_order(path: Path) -> None:
    family: Mapping[str, Mapping[str, str]] = read_family(path.read_text("utf-8"))
    assert list(family) == sorted(family)
    assert all(list(files) == sorted(files) for files in family.values())


def test_everything_in_the_folder_is_read() -> None:
    files = [path for path in CORPUS.rglob("*") if path.is_file()]
    families, notebooks = set(CORPUS.glob("*.py")), set(CORPUS.glob("*/*.ipynb"))
    assert [path for path in files if path not in families | notebooks] == []

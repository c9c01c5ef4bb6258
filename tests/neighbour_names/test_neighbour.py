# SPDX-License-Identifier: Apache-2.0
"""The table is whole: every entry says what, until when, by what, how faithfully, what instead."""

from __future__ import annotations

import collections.abc
import subprocess
import sys

import pytest

from compat_lossscale.neighbour_names import TABLE
from compat_lossscale.neighbour_names.neighbour import Neighbour


@pytest.mark.parametrize("neighbour", TABLE, ids=lambda one: one.name)
def test_an_entry_is_complete(neighbour: Neighbour) -> None:
    assert neighbour.until.split()[0] in {
        "TensorFlow",
        "numpy",
        "Python",
        "SciPy",
        "setuptools",
        "wandb",
        "Keras",
    }
    assert neighbour.faithful
    assert neighbour.is_served or neighbour.instead


def test_no_name_stands_in_the_table_twice() -> None:
    names = [one.name for one in TABLE]
    assert len(names) == len(set(names))


def test_an_entry_resolves_to_what_serves_it() -> None:
    entry = Neighbour("collections.Mapping", "Python 3.9", "collections.abc:Mapping")
    assert entry.resolve() is collections.abc.Mapping
    assert (entry.place, entry.short_name) == ("collections", "Mapping")


def test_an_entry_that_nothing_serves_says_why_and_what_to_do() -> None:
    entry = Neighbour("a.b.*", "TensorFlow 1.15", "", "nobody needs it", "Use c")
    with pytest.raises(
        AttributeError, match=r"^a\.b ended with TensorFlow 1\.15: nobody needs it\. Use c\.$"
    ):
        entry.resolve()


def test_reading_the_table_imports_none_of_what_it_serves() -> None:
    code = (
        "import sys; import compat_lossscale.legacy.serving; "
        "print(sorted({'numpy', 'tensorflow', 'asyncio', 'packaging'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

# SPDX-License-Identifier: Apache-2.0
"""The round-trip matrix: one row for all artefacts with the same content."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from compat_lossscale.formats.verification import expand, verify_artefact
from tests.artefacts.matrix import matrix_of
from tests.formats.samples import ARTEFACTS, SGD

if TYPE_CHECKING:
    from pathlib import Path


def table(*paths: Path) -> tuple[list[str], list[list[str]]]:
    """The headings and the rows for some artefacts."""
    headings, rule, *rows = (
        [cell.strip() for cell in line.split(" | ")]
        for line in matrix_of([verify_artefact(str(path)) for path in paths])
    )
    assert len(rule) == len(headings)
    return headings, rows


def write(path: Path, **config: object) -> Path:
    path.write_text(json.dumps({"inner_optimizer": SGD, **config}))
    return path


def test_artefacts_with_the_same_content_share_a_row(tmp_path: Path) -> None:
    dynamic = write(tmp_path / "a.json", dynamic=True), write(tmp_path / "b.json", dynamic=True)
    fixed = write(tmp_path / "c.json", dynamic=False, initial_scale=8)
    headings, rows = table(*dynamic, fixed)
    kind, artefacts = headings.index("Loss scale"), len(headings) - 1
    assert [row[kind] for row in rows] == ["dynamic", "fixed"]
    assert [row[artefacts].strip(" |") for row in rows] == ["`a.json`, `b.json`", "`c.json`"]


def test_a_row_says_what_each_generation_loses(tmp_path: Path) -> None:
    headings, (row,) = table(write(tmp_path / "a.json", dynamic=False, initial_scale=0.5))
    assert row[headings.index("To TensorFlow 2.4-2.15")] == "its own"
    assert row[headings.index("To tf-keras")] == "all"
    assert row[headings.index("To TensorFlow 2.0-2.3")] == "all but initial_scale"
    assert row[headings.index("To Keras 3")] == "all"


def test_an_artefact_without_a_loss_scale_has_no_row(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("{}")
    assert table(path)[1] == []


def test_a_checkpoint_states_no_config() -> None:
    headings, (row,) = table(ARTEFACTS / "2.3" / "checkpoint-1.index")
    assert row[headings.index("Loss scale")] == "not in it"
    assert row[headings.index("To Keras 3")] == "-"


def test_the_recorded_table_is_that_of_the_artefacts() -> None:
    lines = matrix_of([verify_artefact(path) for path in expand([str(ARTEFACTS)])])
    assert (ARTEFACTS / "matrix.md").read_text(encoding="utf-8").splitlines() == list(lines)

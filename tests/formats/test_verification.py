# SPDX-License-Identifier: Apache-2.0
"""Results of verifying: valid JSON, and nothing that controls a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compat_lossscale.cli.verify import text_of
from compat_lossscale.formats.verification import (
    as_json,
    printable,
    verify_artefact,
)
from tests.formats.samples import SGD


@pytest.mark.parametrize("number", ["Infinity", "NaN", "1e999"])
def test_an_infinite_multiplier_is_valid_json_in_the_report(number: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text(f'{{"initial_loss_scale": 8, "multiplier": {number}}}')
    json.dumps(as_json([verify_artefact(str(path))]), allow_nan=False)


def test_a_name_that_is_half_a_character_is_printed_escaped(tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    inner = {**SGD, "config": {"\udce1\x1b[2J": 1}}
    path.write_text(json.dumps({"inner_optimizer": inner, "dynamic": True}))
    lines = list(text_of([verify_artefact(str(path))]))
    assert all(line.isprintable() for line in lines)
    assert any(r"\udce1\x1b[2J" in line for line in lines)


def test_what_is_printed_of_a_file_cannot_steer_the_terminal() -> None:
    assert printable("a\x1b[2J\n\u202eb") == r"a\x1b[2J\n\u202eb"
    assert len(printable("x" * 10_000)) == 600

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.codemods.both_ways.explaining import Kind, Verdict
from tests.codemods.both_ways.migrating import migrate
from tests.codemods.both_ways.programs import all_programs
from tests.codemods.both_ways.results import Results


@pytest.mark.parametrize("place", ["(/usr/lib/keras/__init__.py)", "(/usr/lib/keras/", "(C:\\lib)"])
def test_a_verdict_is_kept_without_the_place_of_an_installation(place: str, tmp_path: Path) -> None:
    program = all_programs()[0]
    migrated = migrate(program)
    results = Results(folder=tmp_path)
    results.keep(
        migrated, Verdict(Kind.WRONG, f"ImportError: no 'experimental' in 'keras' {place}")
    )
    results.write({program.id})
    kept = json.loads((tmp_path / "results.json").read_text("utf-8"))[program.id]
    assert kept["why"] == "ImportError: no 'experimental' in 'keras'"
    assert kept["digest"] == migrated.digest


@pytest.mark.parametrize("place", ["/usr/lib/python3/site-packages/", "C:\\Lib\\site-packages\\"])
def test_a_verdict_is_kept_without_the_place_of_a_traceback(place: str, tmp_path: Path) -> None:
    program = all_programs()[0]
    results = Results(folder=tmp_path)
    results.keep(migrate(program), Verdict(Kind.WRONG, f'File "{place}tf_keras/model.py", line 1'))
    results.write({program.id})
    kept = json.loads((tmp_path / "results.json").read_text("utf-8"))[program.id]
    assert kept["why"] == 'File "tf_keras/model.py", line 1'

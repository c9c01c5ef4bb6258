# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from lossscale_codemods.reports.machine_formats import as_json
from lossscale_codemods.tables.records import Outcome, Status

from tests.codemods.runs import OLD, make_project, migrated
from tests.schemas.ours import check


@pytest.mark.parametrize("write", [False, True])
def test_it_is_what_the_schema_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    make_project()
    run = migrated(write=write)
    run.problems.append("The undo patch cannot be written.")
    content = json.loads(as_json(run))
    check(content, "migrate")
    assert {file["status"] for file in content["files"]} == {status.value for status in Status}
    outcomes = {record["outcome"] for file in content["files"] for record in file["records"]}
    assert outcomes == {outcome.value for outcome in Outcome}


def test_a_key_that_no_one_documented_would_be_noticed() -> None:
    from jsonschema import ValidationError  # takes two seconds to import

    content = json.loads(as_json(migrated_nothing()))
    check(content, "migrate")
    with pytest.raises(ValidationError):
        check({**content, "new": 1}, "migrate")
    with pytest.raises(ValidationError):
        check({**content, "version": 2}, "migrate")


def migrated_nothing() -> object:
    from lossscale_codemods.reports.run_report import RunReport

    return RunReport()


def test_any_name_of_a_file_survives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"caf\xe9 \xf0\x9f\x98\x80.py")
    Path(name).write_text(OLD)
    text = as_json(migrated())
    assert text.isascii()
    assert [file["path"] for file in json.loads(text)["files"]] == [name]

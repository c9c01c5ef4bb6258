# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest
from lossscale_codemods.reports.machine_formats import as_sarif
from lossscale_codemods.reports.run_report import RunReport
from lossscale_codemods.running.migrate_files import run
from lossscale_codemods.tables.options import Options

from tests.codemods.runs import OLD, make_project, migrated
from tests.support import REPOSITORY

SCHEMA = json.loads((REPOSITORY / "tests" / "schemas" / "sarif-2.1.0.json").read_text())


def sarif_of(report: RunReport) -> Any:
    """The only run of a report's SARIF, valid by the official schema."""
    from jsonschema import Draft202012Validator  # takes two seconds to import

    content = json.loads(as_sarif(report, "1.2.3"))
    Draft202012Validator(SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(
        content
    )
    (only,) = content["runs"]
    return only


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_schema_refuses_what_is_wrong() -> None:
    from jsonschema import Draft202012Validator

    content = json.loads(as_sarif(RunReport(), "1.2.3"))
    content["runs"][0]["results"] = [{"message": {}, "level": "bad"}]
    assert not Draft202012Validator(SCHEMA).is_valid(content)


@pytest.mark.parametrize("write", [False, True])
def test_a_run_with_everything_in_it_is_valid(write: bool) -> None:
    make_project()
    report = migrated(write=write)
    report.problems.append("The undo patch cannot be written.")
    sarif = sarif_of(report)
    rules = {rule["id"] for rule in sarif["tool"]["driver"]["rules"]}
    assert {result["ruleId"] for result in sarif["results"]} <= rules
    assert all(rule["help"]["markdown"] for rule in sarif["tool"]["driver"]["rules"])
    levels = [result["level"] for result in sarif["results"]]
    assert set(levels) == {"note", "warning"}
    (invocation,) = sarif["invocations"]
    assert not invocation["executionSuccessful"]
    assert len(invocation["toolExecutionNotifications"]) == 3
    assert [r["suppressions"] for r in sarif["results"] if "suppressions" in r] == [
        [{"kind": "inSource"}]
    ]


def test_its_fixes_make_of_a_file_what_the_run_does() -> None:
    source = (
        "\ufeff# caf\u00e9 \U0001f600\r\nfrom tensorflow.keras.mixed_precision import "
        "experimental as prec\r\nx = '\U0001f600'; prec.set_policy('float32'); "
        "opt = prec.LossScaleOptimizer(opt, loss_scale='dynamic')\r\n"
    )
    Path("a.py").write_bytes(source.encode())
    report = migrated()
    replacements = [
        replacement
        for result in sarif_of(report)["results"]
        for fix in result.get("fixes", ())
        for change in fix["artifactChanges"]
        for replacement in change["replacements"]
    ]
    lines = source.removeprefix("\ufeff").split("\n")
    starts = [sum(len(line) + 1 for line in lines[:i]) for i in range(len(lines))]
    text = "\n".join(lines)

    def offset(region: dict[str, int], end: str) -> int:
        return starts[region[f"{end}Line"] - 1] + region[f"{end}Column"] - 1

    for replacement in sorted(
        replacements, key=lambda r: offset(r["deletedRegion"], "start"), reverse=True
    ):
        region = replacement["deletedRegion"]
        inserted = replacement["insertedContent"]["text"]
        text = text[: offset(region, "start")] + inserted + text[offset(region, "end") :]
    (file,) = report.files
    assert file.result.changed
    assert "\ufeff" + text == file.result.output.decode()


def test_its_regions_count_characters_of_the_file_s_own_encoding() -> None:
    chinese = "\u4e2d\u6587\u5b57\u7b26\u7f16\u7801"
    line = f'x = "{chinese}"; tf.keras.mixed_precision.experimental.set_policy("float32")\n'
    source = f"# -*- coding: gbk -*-\nimport tensorflow as tf\n{line}"
    Path("a.py").write_bytes(source.encode("gbk"))
    (result,) = sarif_of(migrated())["results"]
    column = line.index("tf.") + 1
    region = result["locations"][0]["physicalLocation"]["region"]
    (replacement,) = result["fixes"][0]["artifactChanges"][0]["replacements"]
    assert (region["startLine"], region["startColumn"]) == (3, column)
    assert replacement["deletedRegion"]["startLine"] == 3
    assert replacement["deletedRegion"]["startColumn"] >= column
    start, end = (replacement["deletedRegion"][f"{side}Column"] - 1 for side in ("start", "end"))
    fixed = line[:start] + replacement["insertedContent"]["text"] + line[end:]
    assert fixed == line.replace("experimental.set_policy", "set_global_policy")


def test_files_are_named_by_valid_uris(folder: Path) -> None:
    names = [b"a b.py", b"caf\xe9.py", b"100%,#?.py", "\u00e9\U0001f600.py".encode()]
    for name in names:
        Path(os.fsdecode(name)).write_text(OLD)
    uris = [
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in sarif_of(migrated())["results"]
    ]
    assert all(uri.isascii() for uri in uris)
    assert sorted(map(unquote_to_bytes, uris)) == sorted(names)
    absolute = sarif_of(run([folder / "a b.py"], Options()))["results"][0]["locations"][0]
    uri = absolute["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == (folder / "a b.py").as_uri()


def test_what_could_not_be_looked_at_is_notified(folder: Path) -> None:
    (invocation,) = sarif_of(run([Path("missing.py")], Options()))["invocations"]
    assert not invocation["executionSuccessful"]
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["level"] == "error"
    assert notification["message"]["text"].startswith("Not looked at: there is no such file")
    (location,) = notification["locations"]
    assert location["physicalLocation"]["artifactLocation"] == {"uri": "missing.py"}


def test_a_finding_in_a_notebook_names_the_cell() -> None:
    make_project()
    messages = [
        result["message"]["text"]
        for result in sarif_of(migrated())["results"]
        if "notebook.ipynb" in json.dumps(result)
    ]
    assert all(message.startswith("Cell 2, line ") for message in messages)
    assert messages

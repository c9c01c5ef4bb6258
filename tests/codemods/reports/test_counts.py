# SPDX-License-Identifier: Apache-2.0
"""The totals of a run, and the exit code that follows from them."""

from __future__ import annotations

from pathlib import Path

import pytest
from lossscale_codemods import migrate_source
from lossscale_codemods.project.discovery import Skipped
from lossscale_codemods.reports.run_report import FileReport, RunReport, exit_code, totals

OLD = "import tensorflow as tf\nmp = tf.keras.mixed_precision.experimental\n"
CHANGES = OLD + "mp.set_policy('float32')\n"
FINDING = "import tensorflow as tf\ntf.contrib.mixed_precision.FixedLossScaleManager(1)\n"
BROKEN = OLD + "(\n"


def report(*sources: str, written: bool = False) -> RunReport:
    """A run over files of the given sources."""
    files = [FileReport(Path("a.py"), migrate_source(text), written=written) for text in sources]
    return RunReport(files, looked_at=len(files))


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (report(), 0),
        (report("x = 1\n"), 0),
        (report(CHANGES, written=True), 0),
        (report(CHANGES), 1),
        (report(FINDING, written=True), 1),
        (report(BROKEN), 2),
        (report(CHANGES, BROKEN), 3),
        (RunReport(problems=["the disk is full"]), 2),
        (RunReport(skipped=[Skipped(Path("a.py"), "no such file", failed=True)]), 2),
        (RunReport(skipped=[Skipped(Path("a.py"), "ignored")]), 0),
        (RunReport(interrupted=True), 130),
    ],
)
def test_the_exit_code(run: RunReport, code: int) -> None:
    assert exit_code(run) == code


def test_totals_count_files_and_occurrences() -> None:
    counted = totals(report(CHANGES, FINDING, BROKEN, "x = 1\n"))
    assert counted["files"] == 4
    assert counted["files changed"] == 1
    assert counted["files written"] == 0
    assert counted["unreadable"] == 1
    assert counted["rewritten"] + counted["needs review"] == counted["occurrences"]
    assert counted["needs review"] >= 1

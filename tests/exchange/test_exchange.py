# SPDX-License-Identifier: Apache-2.0
"""What others saved goes on here, what is saved here goes on elsewhere, as the matrix says."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.exchange import page
from tests.exchange.run import RESULTS, SAVED, Matrix, pair, read
from tests.exchange.sides import HERE, STOCK, Side
from tests.exchange.trainings import MODES, cells
from tests.exchange.verdict import Verdict, judge

VERSIONS = ("1.15", "2.3", "2.4", "2.5", "2.10", "2.15")
MATRIX: Matrix = json.loads(RESULTS.read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def short_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every eighth cell, beginning with another one for each version; `make nightly` takes all."""
    monkeypatch.setenv("EXCHANGE_EVERY", os.environ.get("EXCHANGE_EVERY", "8"))


def what_differs(verdict: Verdict) -> tuple[str, ...]:
    return ("all of it",) if verdict.kind == "fails" else verdict.parts


def check(loaded: Path, continued: Path, saver: str, loader: str) -> None:
    """Compares what has just been loaded with the matrix."""
    steps, of_saver, of_pair = read(loaded), read(continued), MATRIX[pair(saver, loader)]
    assert steps
    assert {cell: what_differs(judge(steps[cell], of_saver[cell])) for cell in steps} == {
        cell: what_differs(Verdict.from_json(of_pair[f"{continued.stem} / {cell}"]))
        for cell in steps
    }, saver


@pytest.mark.slow
@pytest.mark.grid(3)
@pytest.mark.parametrize("mode", MODES)
def test_what_old_versions_saved_goes_on_here(mode: str, tmp_path: Path) -> None:
    versions = [version for version in VERSIONS if mode in Side(version).modes]
    for version in versions:
        with zipfile.ZipFile(SAVED / f"{version}.zip") as archive:
            archive.extractall(tmp_path / version)
    loaded = {tmp_path / version: tmp_path / f"{version}.json" for version in versions}
    Side(HERE).load(mode, loaded)
    for folder, target in loaded.items():
        check(target, folder / f"{mode}.json", folder.name, HERE)


@pytest.mark.slow
@pytest.mark.grid(3)
@pytest.mark.parametrize("mode", MODES)
def test_what_is_saved_here_goes_on_in_tf_keras_alone(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Side(HERE).save(mode, tmp_path)
    monkeypatch.setenv("EXCHANGE_EVERY", "1")  # of these
    loaded = tmp_path / "loaded.json"
    Side(STOCK).load(mode, {tmp_path: loaded})
    check(loaded, tmp_path / f"{mode}.json", HERE, STOCK)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_matrix_has_all_that_a_version_saved(version: str) -> None:
    saved = set()
    with zipfile.ZipFile(SAVED / f"{version}.zip") as archive:
        for mode in Side(version).modes:
            steps: dict[str, Any] = json.loads(archive.read(f"{mode}.json"))
            saved |= {f"{mode} / {cell}" for cell, one in steps.items() if isinstance(one, list)}
    assert saved == set(MATRIX[pair(version, HERE)])


@pytest.mark.parametrize("version", [*VERSIONS, STOCK])
def test_the_matrix_has_all_that_can_be_saved_here_for_each_version(version: str) -> None:
    assert set(MATRIX[pair(HERE, version)]) == {
        " / ".join((mode, *cell)) for mode in Side(version).modes for cell in cells(mode)
    }


def test_whatever_tf_keras_alone_exchanges_is_exchanged_here() -> None:
    worse = []
    for other in (*VERSIONS, STOCK):
        for saver, loader in ((other, HERE), (HERE, other)):
            instead = MATRIX[page.control(saver, loader)]
            for cell, value in MATRIX[pair(saver, loader)].items():
                ours = {*what_differs(Verdict.from_json(value))}
                theirs = {*what_differs(Verdict.from_json(instead[cell]))}
                if "all of it" not in theirs and not ours <= theirs:
                    worse.append(f"{saver} to {loader}: {cell}: {ours - theirs}")
    assert worse == []


def test_the_recorded_table_is_made_from_the_matrix() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.text(MATRIX)

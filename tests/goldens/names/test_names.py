# SPDX-License-Identifier: Apache-2.0
"""Variables, slots, collections, checkpoint keys and steps have the names they had."""

from __future__ import annotations

import json
import os
from pathlib import Path

import cases
import pytest
import recordings

from tests.support import REPOSITORY, python

HERE = Path(__file__).parent
RECORDINGS = recordings.read()
# `make nightly` runs all cases.
EVERY = 1 if os.environ.get("ALL_CASES") else 8


@pytest.fixture(scope="module")
def names() -> recordings.Names:
    """The names that the cases, or some of them, have under this package."""
    done = python(
        str(HERE / "observing.py"),
        "ours",
        str(EVERY),
        timeout=600,
        environment={"TF_USE_LEGACY_KERAS": "1", "PYTHONHASHSEED": "0"},
        tensorflow_may_be_imported=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: recordings.Names = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("version", recordings.VERSIONS)
def test_names_are_those_of_the_version(version: str, names: recordings.Names) -> None:
    differences = [
        f"{line}: {observation}: expected {value}, got {names[line].get(observation)}"
        for line, expected in recordings.expected(RECORDINGS, version).items()
        if line in names
        for observation, value in expected.items()
        if names[line].get(observation) != value
    ]
    assert not differences, "\n".join(differences[:20])


def test_no_case_fails(names: recordings.Names) -> None:
    assert len(names) >= len(recordings.CASES) / EVERY / 2
    assert EVERY > 1 or names.keys() == recordings.CASES.keys()
    assert not [line for line, observed in names.items() if "error" in observed]


def test_every_case_is_recorded_under_two_versions_at_least() -> None:
    for line, case in recordings.CASES.items():
        least = 1 if case.api == "new" else 2  # of the versions here, the last has new optimizers
        assert sum(line in recorded for recorded in RECORDINGS.values()) >= least, line


def test_a_recording_is_whole_again_when_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recordings, "HERE", tmp_path)
    recordings.write(RECORDINGS)
    assert recordings.read() == RECORDINGS


@pytest.mark.parametrize("ruling", recordings.RULINGS, ids=lambda one: one.observation)
def test_a_ruling_is_needed_by_each_of_its_versions(ruling: recordings.Ruling) -> None:
    for version in ruling.versions:
        differing = [
            line
            for line, observed in RECORDINGS[version].items()
            for observation, value in observed.items()
            if ruling in recordings.applying(version, line, observation)
            and RECORDINGS[ruling.side][line][observation] != value
        ]
        assert differing, version


def test_no_two_rulings_are_about_one_observation() -> None:
    for version, recorded in RECORDINGS.items():
        for line, observed in recorded.items():
            for observation in observed:
                assert len(recordings.applying(version, line, observation)) <= 1


@pytest.mark.parametrize("ruling", recordings.RULINGS, ids=lambda one: one.observation)
def test_a_ruling_is_on_the_compatibility_page(ruling: recordings.Ruling) -> None:
    page = " ".join((REPOSITORY / "docs" / "compatibility.md").read_text("utf-8").split())
    assert ruling.why in page


def test_a_combination_has_the_values_that_its_aspects_can_have() -> None:
    for case in recordings.CASES.values():
        for aspect, value in case._asdict().items():
            assert value in cases.ASPECTS[aspect]

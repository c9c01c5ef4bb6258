# SPDX-License-Identifier: Apache-2.0
"""Each hostile artefact of `attacks` stays inert: watched from within by an audit hook."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("h5py", reason="HDF5 files are made with h5py")
from tests.formats import attacks

REPOSITORY = Path(__file__).resolve().parents[2]
MEMORY, MEMORY_HDF5 = 2**30, 2 * 2**30
"""What the verifier and the process that reads HDF5 files may take, in bytes."""
PRINTED = 20_000
"""How many characters about one artefact."""


def verify_watched(path: Path, folder: Path) -> tuple[dict[str, Any], str]:
    """Verifies an artefact in a process of its own. Returns what came of it, and what it did."""
    log = folder / "log"
    log.touch()
    path_of_imports = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-m", "tests.formats.watched", str(path)],
        env={**os.environ, "WATCH_LOG": str(log), "PYTHONPATH": path_of_imports},
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"exit status {done.returncode}: {done.stderr[-3000:]}"
    return json.loads(done.stdout), log.read_text()


@pytest.mark.slow
@pytest.mark.sampled(32)
@pytest.mark.parametrize("name", attacks.ATTACKS)
def test_an_attack_stays_inert(name: str, tmp_path: Path) -> None:
    attack = attacks.ATTACKS[name]
    folder, watcher = tmp_path / "hostile", tmp_path / "watcher"
    folder.mkdir()
    watcher.mkdir()
    path = attack.make(folder)
    before = sorted(tmp_path.rglob("*"))
    result, did = verify_watched(path, watcher)
    assert did == "", f"it did what no verifier may do: {did}"
    assert sorted({*tmp_path.rglob("*")} - {watcher / "log"}) == before
    assert not list(tmp_path.rglob(attacks.CANARY))
    if attack.says and (attack.says != attacks.CONTAINED or result["status"] == "unreadable"):
        assert result["status"] == "unreadable", result
        assert re.search(attack.says, result["error"]), result["error"]
    else:
        assert result["status"] != "unreadable", result["error"]
    assert result["memory"] < MEMORY
    assert result["memory_hdf5"] < MEMORY_HDF5
    assert result["printable"]
    assert result["printed"] < PRINTED

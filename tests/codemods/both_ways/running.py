# SPDX-License-Identifier: Apache-2.0
"""Runs a program both ways at once, and returns the recordings."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from lossscale_codemods.tables.names import WITH_KERAS_3, Target

from compat_lossscale.recording.reading import Recording, UnreadableRecordingError, read
from tests import forked_python
from tests.codemods.both_ways.migrating import Migrated, write_runnable
from tests.codemods.both_ways.serve import ON_KERAS_3, ON_TF_KERAS, UNDER_RUN
from tests.support import REPOSITORY

if TYPE_CHECKING:
    from typing_extensions import Self


def recording_of(path: Path, errors: Path) -> Recording:
    """Reads a recording; of a program that left none, one that says that it was killed."""
    try:
        return read(str(path))
    except UnreadableRecordingError:
        last = errors.read_text("utf-8", "replace")[-500:]
        error = {"class": "killed", "text": last, "stack": ()}
        return Recording(str(path), {}, end={"exit": -1, "error": error, "versions": {}})


class BothSides:
    """Two servers: one with the old names in place, one with tf-keras alone, or with Keras 3.

    They start when the first program is run.
    """

    def __init__(self, target: Target = Target.TF_KERAS) -> None:
        """Says what programs are migrated to.

        Args:
            target: The target.
        """
        self._migrated = ON_KERAS_3 if target in WITH_KERAS_3 else ON_TF_KERAS
        self._servers: dict[str, subprocess.Popen[str]] = {}

    def __enter__(self) -> Self:
        """Returns itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the servers."""
        for server in self._servers.values():
            assert server.stdin is not None
            server.stdin.close()
            server.wait()

    def run(self, migrated: Migrated) -> tuple[Recording, Recording]:
        """Runs a program as it was, and as it is now.

        Args:
            migrated: The program.

        Returns:
            The recording of it under `compat-lossscale run`, and of it migrated, without that.
        """
        sides = {UNDER_RUN: migrated.program.files_to_run, self._migrated: migrated.files}
        with tempfile.TemporaryDirectory() as name:
            top = Path(name).resolve()
            for side, files in sides.items():
                (top / side).mkdir()
                write_runnable(top / side, files)
                self._ask(side, top, migrated)
            for side in sides:
                self._wait(side)
            first, second = (
                recording_of(top / f"{side}.lsr", top / f"{side}.errors") for side in sides
            )
        return first, second

    def _ask(self, side: str, top: Path, migrated: Migrated) -> None:
        request = {
            "script": str(top / side / migrated.program.main),
            "folder": str(top / side),
            "recording": str(top / f"{side}.lsr"),
            "errors": str(top / f"{side}.errors"),
        }
        stdin = self._server(side).stdin
        assert stdin is not None
        stdin.write(json.dumps(request) + "\n")
        stdin.flush()

    def _wait(self, side: str) -> None:
        stdout = self._server(side).stdout
        assert stdout is not None
        assert stdout.readline(), f"the server {side} has ended"

    def _server(self, side: str) -> subprocess.Popen[str]:
        if side not in self._servers:
            settings = {
                "CUDA_VISIBLE_DEVICES": "",
                "TF_CPP_MIN_LOG_LEVEL": "3",
                "TF_USE_LEGACY_KERAS": "0" if side == ON_KERAS_3 else "1",
            }
            self._servers[side] = subprocess.Popen(
                forked_python.command("-m", "tests.codemods.both_ways.serve", side),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                cwd=REPOSITORY,
                env={**os.environ, **settings},
            )
        return self._servers[side]

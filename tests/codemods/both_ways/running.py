# SPDX-License-Identifier: Apache-2.0
"""Runs a program both ways at once, and returns what was seen of it."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lossscale_codemods.vocabulary.names import WITH_KERAS_3, Target

from tests import forked_python
from tests.codemods.both_ways.migrating import Migrated, write_runnable
from tests.codemods.both_ways.serve import ON_KERAS_3, ON_TF_KERAS, UNDER_RUN
from tests.support import REPOSITORY

if TYPE_CHECKING:
    from typing_extensions import Self

Place = tuple[str, int]


@dataclasses.dataclass(frozen=True)
class Trace:
    """What was seen of a program.

    Attributes:
        printed: Each line that was printed, with the places that printed it, innermost first.
        error: The class, the text and the places of the exception that ended it, if one did.
        code: What it exited with.
        left: What its variables were in the end.
    """

    printed: Sequence[tuple[str, Sequence[Place]]] = ()
    error: tuple[str, str, Sequence[Place]] | None = None
    code: int = 0
    left: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, errors: Path) -> Trace:
        """Reads a trace; a program that left none was killed."""
        if not path.exists():
            last = errors.read_text("utf-8", "replace")[-500:]
            return cls(error=("killed", last, ()), code=-1)
        return cls(**json.loads(path.read_text("utf-8")))


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

    def run(self, migrated: Migrated) -> tuple[Trace, Trace]:
        """Runs a program as it was, and as it is now.

        Args:
            migrated: The program.

        Returns:
            What was seen of it under `compat-lossscale run`, and migrated without it.
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
                Trace.read(top / f"{side}.json", top / f"{side}.errors") for side in sides
            )
        return first, second

    def _ask(self, side: str, top: Path, migrated: Migrated) -> None:
        request = {
            "script": str(top / side / migrated.program.main),
            "folder": str(top / side),
            "trace": str(top / f"{side}.json"),
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

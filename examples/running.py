# SPDX-License-Identifier: Apache-2.0
"""Runs commands and keeps what they printed and how they ended."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

_INSTALLED_PATH = re.compile(r" \((?:/|[A-Za-z]:\\)[^()]*\)$")


@dataclass(frozen=True)
class Finished:
    """How a process ended."""

    exit_code: int
    stderr: str


def last_error(stderr: str) -> str:
    """The line that says what went wrong: the last one of a traceback."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no error"


def without_path(error: str) -> str:
    """An ImportError's message without the place where the package is installed."""
    return _INSTALLED_PATH.sub("", error)


def run(
    command: Sequence[str],
    each_line: Callable[[str], None],
    variables: Mapping[str, str] | None = None,
) -> Finished:
    """Runs a command, with more environment variables, and hands on its output line by line."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as stderr:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={**_environment(), **(variables or {})},
            text=True,
            encoding="utf-8",
        )
        with process:
            _hand_on(process.stdout, each_line)
        stderr.seek(0)
        return Finished(process.returncode, stderr.read())


def _environment() -> dict[str, str]:
    """Ours, quieter; and without a choice of Keras, so that plain TensorFlow is plain."""
    environment = {name: value for name, value in os.environ.items()
                   if name != "TF_USE_LEGACY_KERAS"}  # fmt: skip
    return {**environment, "PYTHONUNBUFFERED": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}


def _hand_on(lines: IO[str] | None, each_line: Callable[[str], None]) -> None:
    for line in lines or ():
        each_line(line.rstrip("\n"))

# SPDX-License-Identifier: Apache-2.0
"""Measuring commands that are compared: in turns, each with its time, processor time and memory."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.measure import Spread


@dataclasses.dataclass(frozen=True)
class Command:
    """A command to measure.

    Attributes:
        arguments: The program and its arguments.
        says: What it has to say if it did its work.
        codes: The exit codes it has then.
        folder: The folder to run it in.
        environment: Variables it is given besides.
    """

    arguments: Sequence[str]
    says: str = ""
    codes: Sequence[int] = (0,)
    folder: Path | None = None
    environment: Mapping[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Use:
    """What one run of a command took.

    Attributes:
        seconds: From its start to its end.
        processor_seconds: Of all its processes.
        peak_mb: Of its largest process.
        complete: Whether it came to its end; if not, it took longer than it was given.
        output: What it printed.
    """

    seconds: float
    processor_seconds: float
    peak_mb: float
    complete: bool
    output: str


class CommandError(Exception):
    """A command did not do its work, so its time means nothing."""


def run(command: Command, at_most: float = 600.0) -> Use:
    """Runs a command.

    Args:
        command: The command.
        at_most: How many seconds it is given.

    Raises:
        CommandError: It ended with another exit code, or did not say what it has to.
    """
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        process = subprocess.Popen(
            list(command.arguments),
            cwd=command.folder,
            env={**os.environ, **command.environment},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        timer = threading.Timer(at_most, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        output = out.read().decode("utf-8", "replace")
    complete = process.returncode != -signal.SIGKILL
    if complete and (process.returncode not in command.codes or command.says not in output):
        raise CommandError(
            f"{Path(command.arguments[0]).name} ended with exit code {process.returncode}:\n"
            f"{output[-2000:]}"
        )
    processor = used.ru_utime + used.ru_stime
    return Use(seconds, processor, used.ru_maxrss / 1024, complete, output)


def in_turns(
    commands: Mapping[str, Command], rounds: int, at_most: float = 600.0
) -> dict[str, list[Use]]:
    """Runs commands in turns; in every second round, in the opposite order.

    One that takes longer than it is given is not asked again.
    """
    used: dict[str, list[Use]] = {name: [] for name in commands}
    for number in range(rounds):
        for name in list(commands) if number % 2 else list(reversed(commands)):
            if all(use.complete for use in used[name]):
                used[name].append(run(commands[name], at_most))
    return used


def summary(uses: Sequence[Use]) -> dict[str, object]:
    """Medians and spread of a command's runs, for a results file."""
    return {
        "seconds": dataclasses.asdict(Spread.of([use.seconds for use in uses])),
        "processor_seconds": dataclasses.asdict(Spread.of([use.processor_seconds for use in uses])),
        "peak_mb": max(use.peak_mb for use in uses),
        "rounds": len(uses),
        "complete": all(use.complete for use in uses),
    }


def ratios(of: Sequence[Use], to: Sequence[Use]) -> dict[str, object]:
    """A command's time and processor time as shares of another's, round by round."""
    pairs = list(zip(of, to, strict=False))
    return {
        "seconds": dataclasses.asdict(Spread.of([a.seconds / b.seconds for a, b in pairs])),
        "processor_seconds": dataclasses.asdict(
            Spread.of([a.processor_seconds / b.processor_seconds for a, b in pairs])
        ),
    }

# SPDX-License-Identifier: Apache-2.0
"""Runs what a page of the documentation shows, in a folder of its own, and compares the output.

`console` blocks are run command by command. Shown is standard output; of a command that failed and
printed nothing there, the last line of standard error. `...` stands for anything, and how white
space is broken does not matter. A command that shows nothing must succeed. `python` blocks are run
as programs. Comments in front of a block say what else to do with it:

    <!-- file: train.py -->         it is written to a file, and not run
    <!-- copy: a/b.h5 as c.h5 -->   a file of the repository is put beside it first
    <!-- shown only: REASON -->     it is not run

Blocks in other languages need one of these comments: nothing is shown that nobody looked after.
"""

from __future__ import annotations

import dataclasses
import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import lossscale_codemods

import compat_lossscale
from tests import forked_python

ROOT = Path(__file__).parents[2]
_PARTS = re.compile(
    r"^<!-- (?P<word>file|copy|shown only): (?P<value>[^>]+?) -->$"
    r"|^ *```(?P<language>\w+)\n(?P<text>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n?", re.MULTILINE)
_COMPARE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
RUN = ("python", "console")


@dataclasses.dataclass(frozen=True)
class Fence:
    """One block.

    Attributes:
        language: What stands behind the back-ticks.
        text: What is in it.
        line: In which line of the page it begins.
        file: The file it is written to, if it is one.
        shown_only: Why it is not run, if it is not.
        copies: Files that are put beside it first: where from, and their names.
    """

    language: str
    text: str
    line: int
    file: str | None = None
    shown_only: str | None = None
    copies: tuple[tuple[str, str], ...] = ()

    @property
    def is_run(self) -> bool:
        """Whether it is run by itself."""
        return self.language in RUN and not (self.file or self.shown_only)

    @property
    def commands(self) -> list[tuple[str, str]]:
        """Each command with what it shows."""
        _, *parts = _COMMAND.split(self.text)
        return list(zip(parts[::2], parts[1::2], strict=True))


def fences(page: str) -> list[Fence]:
    """Returns the blocks of a page."""
    found = []
    marks: dict[str, str] = {}
    copies: list[tuple[str, str]] = []
    for part in _PARTS.finditer(page):
        if part["word"] == "copy":
            source, _, name = part["value"].partition(" as ")
            copies.append((source, name or Path(source).name))
        elif part["word"]:
            marks[part["word"]] = part["value"]
        else:
            line = page.count("\n", 0, part.start()) + 1
            found.append(
                Fence(
                    part["language"],
                    part["text"],
                    line,
                    marks.get("file"),
                    marks.get("shown only"),
                    tuple(copies),
                )
            )
            marks, copies = {}, []
    return found


def problems(page: str, folder: Path, *, tensorflow_may_be_imported: bool = False) -> list[str]:
    """Runs a page's blocks one after the other.

    Args:
        page: The page.
        folder: An empty folder to run them in.
        tensorflow_may_be_imported: Whether `python` may have imported TensorFlow when a program
            starts: see `tests.forked_python`.

    Returns:
        What is not as the page says.
    """
    found = []
    programs = _programs(folder, forked=tensorflow_may_be_imported)
    for fence in fences(page):
        for source, name in fence.copies:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / source, folder / name)
        if fence.file:
            (folder / fence.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / fence.file).write_text(fence.text, "utf-8")
        elif fence.is_run:
            found += [
                f"line {fence.line}: {problem}" for problem in _problems_of(fence, folder, programs)
            ]
    return found


def _problems_of(fence: Fence, folder: Path, programs: Path) -> list[str]:
    if fence.language == "python":
        done = _run(["python", "-c", fence.text], folder, programs)
        return [done.stderr] if done.returncode else []
    if not fence.commands:
        return ["no line of this console block begins with `$ `"]
    found = []
    for command, shown in fence.commands:
        done = _run(["bash", "-c", command], folder, programs)
        got = done.stdout
        if done.returncode and not got:
            got = "".join(done.stderr.splitlines(keepends=True)[-1:])
        if not shown.strip() and done.returncode:
            found.append(f"`{command}` failed:\n{done.stdout}{done.stderr}")
        elif shown.strip() and not doctest.OutputChecker().check_output(shown, got, _COMPARE):
            found.append(f"`{command}` shows\n{got}{done.stderr[-2000:]}")
    return found


def _run(command: list[str], folder: Path, programs: Path) -> subprocess.CompletedProcess[str]:
    """Runs a command as somebody would who has this package installed."""
    packages = (compat_lossscale, lossscale_codemods)
    environment = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": ":".join(str(Path(str(one.__file__)).parents[1]) for one in packages),
    }
    environment.pop("TF_USE_LEGACY_KERAS", None)
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def _programs(folder: Path, *, forked: bool) -> Path:
    programs = folder.parent / f"{folder.name}-programs"
    programs.mkdir(exist_ok=True)
    start = f"exec {sys.executable}"
    python = f"{start} -S {forked_python.__file__}" if forked else start
    command = f'case "$1" in run|migrate) {python} -m compat_lossscale "$@";; esac\n'
    for name, lines in (
        ("python", f'{python} "$@"\n'),
        ("compat-lossscale", f'{command}{start} -m compat_lossscale "$@"\n'),
    ):
        program = programs / name
        program.write_text(f"#!/bin/sh\n{lines}", "utf-8")
        program.chmod(0o755)
    return programs

# SPDX-License-Identifier: Apache-2.0
"""Programs without TensorFlow do the same under `python` and under `compat-lossscale run`.

    python -m tests.cli.run_as_python [PYTHON...]

compares standard output, standard error and exit status of every command line, under each PYTHON,
of which a throw-away environment is made. If none is named, it takes this one.
"""

from __future__ import annotations

import dataclasses
import os
import re
import shlex
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.cli.programs_without_tensorflow import ENDINGS, FILES, LINES

REPOSITORY = Path(__file__).resolve().parents[2]
NEEDED = ("click", "libcst", "jinja2", "markupsafe")
SECONDS = 120
# Where an object is, and how long something took.
_NEVER_THE_SAME = re.compile(rb"0x[0-9a-f]+|\d+\.\d+s")


def lines() -> list[str]:
    """Every command line."""
    ends = [f"$PYTHON ends.py {shlex.quote(end)}" for end in ENDINGS.split("|") if end]
    ends += [f"$PYTHON -m ends {shlex.quote(e)}" for e in ("sys.exit(7)", "1 / 0", "raising()")]
    ends += ["$PYTHON - interrupted\\(\\) < ends.py"]
    return LINES.format(ends="\n".join(ends)).splitlines()


@dataclasses.dataclass(frozen=True)
class Ended:
    """How a process ended, and what it said."""

    status: int
    output: bytes
    errors: bytes


def make_files(folder: Path) -> None:
    """Writes the programs."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(text.encode("latin-1" if name == "cookie.py" else "utf-8"))
    (folder / "link.py").symlink_to("sub/show.py")
    (folder / "linked_folder").symlink_to("sub")
    for name, source in (("app", "app"), ("failing", "failing_app"), ("empty", "empty_folder")):
        with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
            for path in sorted((folder / source).iterdir()):
                archive.write(path, path.name)
    archive_bytes = (folder / "app.zip").read_bytes()
    (folder / "app.pyz").write_bytes(b"#!/usr/bin/env python3\n" + archive_bytes)
    (folder / "bad.pyc").write_bytes(b"none of Python's")
    os.mkfifo(folder / "fifo")


def compile_files(folder: Path, interpreter: str) -> None:
    """Compiles what has to be of the Python that runs it."""
    code = "import py_compile, sys; py_compile.compile(sys.argv[1], sys.argv[2])"
    for source, target in (
        ("show.py", "compiled.pyc"),
        ("package/failing.py", "compiled_failing.pyc"),
    ):
        subprocess.run([interpreter, "-c", code, source, target], cwd=folder, check=True)


def run(line: str, python: str, folder: Path, variables: dict[str, str]) -> Ended:
    """Runs one command line, with `python` for `$PYTHON`."""
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env={**variables, "PYTHON": python},
        stdin=subprocess.DEVNULL if "<" not in line else None,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    output, errors = (_NEVER_THE_SAME.sub(b"...", part) for part in (done.stdout, done.stderr))
    return Ended(done.returncode, output, errors)


def differences(chosen: Sequence[str], interpreter: str) -> list[str]:
    """What is not equal, in words."""
    paths = [str(REPOSITORY), str(REPOSITORY / "codemods")]
    variables = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "PYTEST"))
    }
    variables |= {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}

    def compare(line: str) -> str:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name).resolve()
            make_files(folder)
            compile_files(folder, interpreter)
            expected = run(line, interpreter, folder, variables)
            found = run(line, f"{interpreter} -m compat_lossscale run", folder, variables)
        if expected == found:
            return ""
        return f"{line}\n  python: {expected}\n  run:    {found}"

    with ThreadPoolExecutor(4) as executor:
        return [one for one in executor.map(compare, chosen) if one]


def environment_of(interpreter: str, folder: Path) -> str:
    """Makes an environment with what the command line needs, and no TensorFlow."""
    subprocess.run([interpreter, "-m", "venv", folder], check=True)
    python = str(folder / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", *NEEDED], check=True)
    return python


def main(interpreters: Sequence[str]) -> int:
    """Compares all lines under each interpreter; returns how many differ."""
    count = 0
    for interpreter in interpreters or [sys.executable]:
        with tempfile.TemporaryDirectory() as name:
            python = environment_of(interpreter, Path(name)) if interpreters else interpreter
            found = differences(lines(), python)
        print(f"{interpreter}: {len(lines())} command lines, {len(found)} differ", flush=True)
        for one in found:
            print(one)
        count += len(found)
    return count


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))

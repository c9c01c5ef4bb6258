# SPDX-License-Identifier: Apache-2.0
"""Installs a lock file into an environment, and shows how far it is.

    python tools/install.py .venv requirements/dev.txt

It needs nothing but Python. On a terminal, one line shows the package that is downloaded, and its
size. Elsewhere, as in a log, each large package has a line.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

_COLLECTING = re.compile(r"Collecting ([^\s=]+)==(\S+)")
_FILE = re.compile(r"\s*(Downloading|Using cached) (\S+) \(([\d.]+) (bytes|kB|MB|GB)\)")
_LARGE = 50
"""Megabytes from which a package has a line of its own in a log."""
_EACH = 25
"""A log has a line for every so many packages besides."""
_MEGABYTES = {"bytes": 1e-6, "kB": 1e-3, "MB": 1.0, "GB": 1e3}


def main() -> int:
    """Runs from the command line. Returns pip's exit code."""
    environment, lock = map(Path, sys.argv[1:])
    total = len(re.findall(r"^[\w.-]+==", lock.read_text("utf-8"), re.MULTILINE))
    print(f"Installing up to {total} packages of {lock} into {environment}.", flush=True)
    command = [environment / "bin" / "pip", "install", "--progress-bar", "off", "--no-deps"]
    with subprocess.Popen(
        [*map(str, command), "--require-hashes", "--requirement", str(lock)],
        stdout=subprocess.PIPE,
        text=True,
    ) as pip:
        assert pip.stdout is not None
        on_terminal = sys.stdout.isatty()
        for text, is_for_logs in steps(pip.stdout, total):
            if on_terminal:
                print(f"\r\x1b[K{text[:78]}", end="", flush=True)
            elif is_for_logs:
                print(text, flush=True)
        if on_terminal:
            print("\r\x1b[K", end="", flush=True)
    return pip.returncode


def steps(lines: Iterable[str], total: int) -> Iterator[tuple[str, bool]]:
    """Yields what pip does, each with whether it belongs into a log.

    Args:
        lines: What pip prints.
        total: How many packages the lock file has at most.
    """
    done, name = 0, ""
    for line in lines:
        if collecting := _COLLECTING.match(line):
            done += 1
            name = f"{collecting[1]} {collecting[2]}"
            yield f"[{done}/{total}] {name}", done % _EACH == 0
        elif file := _FILE.match(line):
            large = float(file[3]) * _MEGABYTES[file[4]] >= _LARGE
            does = "downloading" if file[1] == "Downloading" else "already downloaded,"
            yield f"[{done}/{total}] {name}: {does} {file[3]} {file[4]}", large
        elif line.startswith("Installing collected packages"):
            yield "Unpacking them, which takes a minute.", True


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of the installed Keras and backends, records them, and makes the table.

    python -m tests.zoo [--family legacy ...] [--workers 2] [--missing] [PART ...]

PART is a part of a case's name, such as `GRU` or `ways to train`. Other results stay as they are.
With `--missing`, cases that have a result are left out: what was stopped goes on.
Cases run in processes of their own, some at a time: one that crashes fails its case alone.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import importlib.util
import itertools
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

from tests.support import REPOSITORY
from tests.zoo import page
from tests.zoo.families import FAMILIES, of_this_process

AT_A_TIME = 60
"""The cases of one process. TensorFlow never frees what it has traced."""
MINUTES = 60


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs what is asked for. Returns 1 if a case needs a ruling, else 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--family", action="append", choices=[one.name for one in FAMILIES])
    parser.add_argument("--workers", type=int, default=2, metavar="N")
    parser.add_argument("--missing", action="store_true", help="run what has no result yet")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("parts", nargs="*", metavar="PART")
    options = parser.parse_args(arguments)
    if options.child:
        _run_here(options.family[0], options.parts)
        return 0
    bad = 0
    for family in [one for one in FAMILIES if importlib.util.find_spec(one.backend)]:
        if options.family and family.name not in options.family:
            continue
        every = _names(family.name)
        parts = options.parts or [""]
        names = [one for one in every if any(part in one for part in parts)]
        if options.missing:
            known = page.results().get(family.name, {"cases": {}})["cases"]
            names = [one for one in names if one not in known]
        chunks = [names[start : start + AT_A_TIME] for start in range(0, len(names), AT_A_TIME)]
        with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
            for found in pool.map(_run_chunk, itertools.repeat(family.name), chunks):
                page.record(family.name, found, every)
                bad += sum(page.needs_a_ruling(family.name, *item) for item in found.items())
    return bool(bad)


def _child(family: str, parts: Sequence[str], output: Any) -> subprocess.Popen[str]:
    backend = next(one.backend for one in FAMILIES if one.name == family)
    environment = {
        "KERAS_BACKEND": backend,
        "CUDA_VISIBLE_DEVICES": "",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TF_USE_LEGACY_KERAS": "0" if family.startswith("keras3") else "1",
    }
    command = [sys.executable, "-m", "tests.zoo", "--child", "--family", family, "--", *parts]
    return subprocess.Popen(
        command,
        cwd=REPOSITORY,
        env={**os.environ, **environment},
        stdout=output,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def _names(family: str) -> list[str]:
    """The names of cases, which a child knows."""
    child = _child(family, ["--names"], subprocess.PIPE)
    names = child.communicate()[0].splitlines()
    if child.returncode:
        sys.exit(f"The cases of {family} cannot be listed: run `python -m tests.zoo --child`.")
    return names


def _run_chunk(family: str, names: Sequence[str]) -> dict[str, Any]:
    """Runs cases in a process; in another one those that are left when it crashes."""
    found: dict[str, Any] = {}
    while left := [one for one in names if one not in found]:
        child = _child(family, left, subprocess.PIPE)
        timer = threading.Timer(60 * MINUTES, child.kill)
        timer.start()
        new = {}
        for line in child.stdout or ():
            if line.startswith('["'):  # A model may print too.
                name, one = json.loads(line)
                new[name] = one
                print(f"{family}: {name}: {one['kind']} {one['why']}", flush=True)
        child.wait()
        timer.cancel()
        found |= new
        if len(new) < len(left):
            crashed = next(one for one in left if one not in new)
            found[crashed] = {"kind": "fails", "why": f"ends with {child.returncode}"}
    return found


def _run_here(family: str, names: Sequence[str]) -> None:
    from tests.zoo import cases

    (one,) = (one for one in of_this_process() if one.name == family)
    every = {case.name: case for case in cases.cases(one)}
    if list(names) == ["--names"]:
        print(*every, sep="\n")
        return
    if one.backend == "tensorflow":
        from tests.conftest import _make_two_logical_devices

        _make_two_logical_devices()
    for name in names:
        verdict = cases.verdict(every[name])
        print(json.dumps([name, {"kind": verdict.kind, "why": verdict.why}]), flush=True)


if __name__ == "__main__":
    sys.exit(main())

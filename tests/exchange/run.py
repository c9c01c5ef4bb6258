# SPDX-License-Identifier: Apache-2.0
"""Exchanges everything with every TensorFlow that is given, and writes what came of it.

    python -m tests.exchange.run FOLDER 1.15=PYTHON 2.3=PYTHON ...

Each PYTHON is an interpreter that has that TensorFlow. FOLDER takes what they save and what they
give after loading; what it holds already is not done again. Writes `matrix.json`, and
`saved/VERSION.zip`, which the tests load.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.exchange.sides import HERE, STOCK, Side
from tests.exchange.verdict import judge

RESULTS = Path(__file__).with_name("matrix.json")
SAVED = Path(__file__).with_name("saved")
Matrix = dict[str, dict[str, Any]]
"""By `SAVER to LOADER`, and then by cell: a verdict as JSON."""


def pair(saver: str, loader: str) -> str:
    """The name of a pair."""
    return f"{saver} to {loader}"


def savers_for(loader: Side, sides: Sequence[Side]) -> Iterator[Side]:
    """Whose files a side loads: its own, and those of the two sides of today; those load all."""
    today = (HERE, STOCK)
    for saver in sides:
        if saver == loader or saver.name in today or loader.name in today:
            yield saver


def exchange(folder: Path, sides: Sequence[Side]) -> Matrix:
    """Saves on all sides, loads on all sides, and judges.

    Args:
        folder: Has a folder for each side. What is in it already is not done again.
        sides: Them.
    """
    for side in sides:
        for mode in side.modes:
            if not (folder / side.name / f"{mode}.json").exists():
                side.save(mode, folder / side.name)
                print(side.name, "has saved", mode, flush=True)
    matrix: Matrix = {}
    for loader in sides:
        savers = list(savers_for(loader, sides))
        for mode in loader.modes:
            targets = {
                folder / saver.name: _loaded(folder, saver, loader, mode)
                for saver in savers
                if mode in saver.modes
            }
            loader.load(mode, {one: to for one, to in targets.items() if not to.exists()})
            print(loader.name, "has loaded", mode, flush=True)
    for loader in sides:
        for saver in savers_for(loader, sides):
            matrix[pair(saver.name, loader.name)] = {
                f"{mode} / {cell}": verdict
                for mode in loader.modes
                if mode in saver.modes
                for cell, verdict in _judged(folder, saver, loader, mode)
            }
    return matrix


def _loaded(folder: Path, saver: Side, loader: Side, mode: str) -> Path:
    return folder / f"{pair(saver.name, loader.name)}, {mode}.json"


def _judged(
    folder: Path, saver: Side, loader: Side, mode: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The verdicts on one pair in one mode, by cell."""
    continued = read(folder / saver.name / f"{mode}.json")
    saver_again = read(_loaded(folder, saver, saver, mode))
    loader_again = read(_loaded(folder, loader, loader, mode))
    for cell, steps in read(_loaded(folder, saver, loader, mode)).items():
        verdict = judge(steps, continued[cell], saver_again[cell], loader_again.get(cell))
        yield cell, verdict.as_json()


def read(path: Path) -> dict[str, Any]:
    """The steps in a file, by cell."""
    steps: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return steps


def pack(files: dict[str, Path], target: Path) -> None:
    """Writes files into an archive, the same bytes for the same files."""
    with zipfile.ZipFile(target, "w") as archive:
        for name, path in sorted(files.items()):
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, path.read_bytes())


def main() -> None:
    """Runs the whole matrix."""
    folder = Path(sys.argv[1]).absolute()
    old = [Side(*argument.split("=", 1)) for argument in sys.argv[2:]]
    matrix = exchange(folder, [Side(HERE), Side(STOCK), *old])
    RESULTS.write_text(json.dumps(matrix, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    SAVED.mkdir(exist_ok=True)
    for side in old:
        files = {
            path.relative_to(folder / side.name).as_posix(): path
            for path in (folder / side.name).rglob("*")
            if path.is_file() and path.name != "checkpoint"
        }
        pack(files, SAVED / f"{side.name}.zip")


if __name__ == "__main__":
    main()

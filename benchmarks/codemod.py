# SPDX-License-Identifier: Apache-2.0
"""The codemod: beside the floor of reading every file, other codemods, and itself on larger trees.

python -m benchmarks.codemod [--tree FOLDER] [--sizes 1000 10000 100000]
"""

from __future__ import annotations

import argparse
import json
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import machine, reading, trees
from benchmarks.commands import Command, CommandError, in_turns, ratios, run, summary
from benchmarks.rivals import rivals, tf_upgrade

HERE = Path(__file__).parent
REPOSITORY = HERE.parent
RESULTS = HERE / "results" / "codemod.json"
SIZES = (1_000, 10_000, 100_000)
_LINES = (
    "import tensorflow as tf\n"
    "opt = tf.keras.optimizers.SGD()\n"
    "opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 'dynamic')\n"
)
_ENVIRONMENT = {"PYTHONPATH": f"{REPOSITORY}:{REPOSITORY / 'codemods'}"}


def ours(*arguments: str, codes: tuple[int, ...] = (0, 1), says: str = "") -> Command:
    """Returns our own command."""
    program = (sys.executable, "-m", "compat_lossscale", *arguments)
    return Command(program, says=says, codes=codes, environment=_ENVIRONMENT)


def migration(tree: Path) -> Command:
    """Returns the command that looks at every file of a tree."""
    return ours("migrate", str(tree), "--no-ignore", "--check", codes=(0, 1, 2, 3))


def found(tree: Path) -> dict[str, Any]:
    """Returns what the codemod finds in a tree: the totals of its JSON report."""
    command = ours("migrate", str(tree), "--no-ignore", "--json", codes=(0, 1, 2, 3))
    totals: dict[str, Any] = json.loads(run(command).output)["totals"]
    return totals


def against_reading(tree: Path, rounds: int) -> dict[str, Any]:
    """Compares a whole run with just reading every file, in one process each."""
    files, marked = reading.read(str(tree))
    read = Command(
        [sys.executable, str(HERE / "reading.py"), str(tree)],
        says=f"{files} files, {marked} with a marker",
    )
    totals = found(tree)
    if totals["files"] != files:
        raise CommandError(f"{totals['files']} of {files} files were looked at.")
    used = in_turns({"reading": read, "migrate": migration(tree)}, rounds)
    if len({use.output for use in used["migrate"]}) != 1:
        raise CommandError("Two runs over the same tree said different things.")
    return {
        "files": files,
        "with a marker": marked,
        "found": totals,
        **{name: summary(uses) for name, uses in used.items()},
        "ratio": ratios(used["migrate"], used["reading"]),
    }


def growth(sizes: Sequence[int], rounds: int) -> list[dict[str, Any]]:
    """Runs over generated trees of growing size, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        commands, old = {}, {}
        for size in sizes:
            tree = Path(folder, str(size))
            old[size] = trees.generate(tree, size)
            totals = found(tree)
            if (totals["files"], totals["files changed"]) != (size, old[size]):
                raise CommandError(f"In {size} files with {old[size]} old ones: {totals}.")
            commands[str(size)] = migration(tree)
        used = in_turns(commands, rounds)
        return [
            {"files": size, "with an old name": old[size], **summary(used[str(size)])}
            for size in sizes
        ]


def start_up(rounds: int) -> dict[str, Any]:
    """Times commands on next to nothing, beside what they cannot do without."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "train.py")
        file.write_text(_LINES)
        commands = {
            "--help": ours("--help", says="migrate"),
            "migrate one file": ours("migrate", str(file), says="1 file would change"),
            "python": Command([sys.executable, "-c", "pass"]),
            "python, import libcst": Command([sys.executable, "-c", "import libcst"]),
        }
        used = in_turns(commands, rounds)
    return {name: summary(uses) for name, uses in used.items()}


def against_rivals(tree: Path, rounds: int, at_most: float) -> list[dict[str, Any]]:
    """Compares with other codemods on the same tree."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        files = len(list(tree.rglob("*.py")))
        rows = _compared(rivals(tree, files, scratch), tree, files, rounds, at_most)
        plain = scratch / "plain"
        files = trees.plain_files(tree, plain)
        upgrade = {"tf_upgrade_v2, files that it reads": tf_upgrade(plain, files, scratch)}
        return rows + _compared(upgrade, plain, files, rounds, at_most)


def _compared(
    others: dict[str, Command | str], tree: Path, files: int, rounds: int, at_most: float
) -> list[dict[str, Any]]:
    totals = found(tree)
    if totals["files"] != files:
        raise CommandError(f"{totals['files']} of {files} files were looked at.")
    rows = []
    for name, command in others.items():
        row: dict[str, Any] = {"rival": name, "files": files}
        try:
            if isinstance(command, str):
                raise CommandError(command)
            used = in_turns({"ours": migration(tree), "theirs": command}, rounds, at_most)
            row |= {side: summary(uses) for side, uses in used.items()}
            row["ratio"] = ratios(used["theirs"], used["ours"])
        except CommandError as error:
            row["missing"] = str(error).splitlines()[0].rstrip(":")
        rows.append(row)
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs it all and writes the results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.codemod")
    parser.add_argument("--tree", type=Path, help="what to compare with reading [site-packages]")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--rival-rounds", type=int, default=3)
    parser.add_argument("--at-most", type=float, default=600.0, help="seconds for a rival's run")
    parser.add_argument("--no-rivals", action="store_true")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args(arguments)
    tree = given.tree or Path(sysconfig.get_paths()["purelib"])
    results: dict[str, Any] = {"machine": machine.description()}

    def note(part: str, result: object) -> None:
        results[part] = result
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.write_text(json.dumps(results, indent=1) + "\n")

    with tempfile.TemporaryDirectory() as folder:
        keras = Path(folder, "keras")
        trees.copy_tf_keras(keras)
        note("start-up", start_up(given.rounds))
        note("Python", against_reading(Path(sysconfig.get_paths()["stdlib"]), given.rounds))
        note("site-packages", against_reading(tree, given.rounds))
        note("tf-keras", against_reading(keras, given.rounds))
        note("growth", growth(given.sizes, max(1, given.rounds // 2)))
        if not given.no_rivals:
            note("rivals", against_rivals(keras, given.rival_rounds, given.at_most))


if __name__ == "__main__":
    main()

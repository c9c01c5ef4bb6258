# SPDX-License-Identifier: Apache-2.0
"""Proves the migration of published programs: records each side, migrates with what was observed.

    python -m tests.programs.proofs FOLDER [--python PYTHON] [--clones CLONES] [NAME ...]
    python -m tests.programs.proofs FOLDER --old 2.3=PYTHON=PACKAGES NAME ...

Everything is installed in FOLDER, as for `tests.programs.run`. Each program is recorded under
`compat-lossscale run`, migrated with `--observed`, recorded again, and compared. A program that
needs this package for other removed names is recorded under `run` on both sides. With `--old`, it
is recorded in that environment too, which `run` is compared with. The end of the documentation's
page is made from `proofs.json`.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

from tests.programs.program import Program
from tests.programs.programs import PROGRAMS
from tests.programs.run import DATA, PROOFS, environment, filled, installed, run_python, write_page
from tests.recording.loading import RECORDER

RESULTS = Path(__file__).with_name("proofs.json")
_STEPS = 6
_SHIM = ("-m", "compat_lossscale")
_COLUMNS = ("Program", "Migrated", "Findings, without the run", "Findings, with it")
_HEAD = f"""\

## Recorded and compared

<!-- Made by `python -m tests.programs.proofs`; do not edit. -->

Each of these programs is recorded for {_STEPS} steps under `compat-lossscale run`, migrated with
`migrate --observed`, recorded again as plain Python runs it, and
[compared](prove-your-migration.md). A program that needs this package for other removed names is
recorded under `run` on both sides. ResNet-50 of tf-models makes a policy whose loss scale is not
the default one. `migrate` reports it, and it is changed by hand to `Policy("mixed_float16")`.
retinanet draws random numbers in a pipeline with threads, which TF_DETERMINISTIC_OPS=1 orders.

"""
_OLD_COLUMNS = ("Program", "Recorded with", "Compared with `run` on today's TensorFlow")


class Proof:
    """One program, in a folder of its own.

    Args:
        program: The program.
        folder: Where everything is installed.
        python: The Python of today's environment.
        clones: Where clones are.
    """

    def __init__(self, program: Program, folder: Path, python: Path, clones: Path) -> None:
        self.program = program
        self.python = python
        self.packages = installed(program, folder, python, clones)
        self.own = folder / f"proof-{re.sub(r'[^a-zA-Z0-9.]+', '-', program.name)}"
        shutil.rmtree(self.own, ignore_errors=True)
        self.copy = self.own / "packages"
        self._copy_sources()

    def _copy_sources(self) -> None:
        """Copies the program as it was published."""
        shutil.rmtree(self.copy, ignore_errors=True)
        for name in self.program.migrated or self.program.sources:
            top = Path(name).parts[0]
            source, target = self.packages / top, self.copy / top
            if source.is_dir() and not target.exists():
                shutil.copytree(source, target)

    def prove(self) -> dict[str, Any]:
        """Records, migrates, records again, and returns what came of it."""
        under_run = (*_SHIM, "run", "--record")
        why = self._record("before", under_run)
        if why:
            return {"why": f"before: {why}"}
        plain = self._migrate()
        observed = self._migrate("--observed", str(self.own / "before.lsr"), "--write")
        self._change_by_hand()
        after = under_run if self.program.shim else (*_SHIM, "record", "-o")
        why = self._record("after", after)
        result = {
            "findings": plain["needs review"],
            "left": observed["needs review"],
            "rewritten": observed["rewritten"],
            "observed": observed["observed fixes"],
        }
        if why:
            return {**result, "why": f"migrated: {why}"}
        compared = self._compare("before", "after")
        if compared["verdict"] == "different":
            self._copy_sources()
            again = self._record("again", under_run) or self._compare("before", "again")
            compared["again"] = again if isinstance(again, str) else again["reason"]
        return {**result, **compared}

    def with_old(self, python: Path, packages: Path) -> dict[str, Any]:
        """Records in an old environment and under `run`, and compares the two."""
        keep = ("--with-initial-values", "--fix-data", str(_STEPS))
        why = self._record("old", (str(RECORDER), *keep, "-o"), python, packages)
        if why:
            return {"why": f"in the old environment: {why}"}
        start = ("--start-from", str(self.own / "old.lsr"))
        why = self._record("today", (*_SHIM, "run", *start, "--record"))
        return {"why": f"under run: {why}"} if why else self._compare("old", "today")

    def _record(
        self,
        side: str,
        how: tuple[str, ...],
        python: Path | None = None,
        packages: Path | None = None,
    ) -> str:
        """Records the program; returns why that failed."""
        for left in self.own.glob("*"):
            if left.name != "packages" and left.suffix != ".lsr":
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        paths = (self.copy, packages or self.packages)
        if self.program.prepare:
            script = str(DATA / f"{self.program.prepare}.py")
            made = run_python(self.python, (self.packages,), script, cwd=self.own, home=self.own)
            made.check_returncode()
        words = {
            "{folder}": str(self.own),
            "{program}": str(self.copy),
            "{steps}": str(_STEPS),
            "{epochs}": str(_STEPS // self.program.steps),
        }
        for name, text in self.program.files.items():
            (self.own / name).write_text(filled(text, words))
        arguments = shlex.split(filled(self.program.command, words))
        place = self.copy / self.program.starts_in if self.program.starts_in else self.own
        recording = self.own / f"{side}.lsr"
        done = run_python(
            python or self.python,
            paths,
            *how,
            str(recording),
            *arguments,
            cwd=place,
            home=self.own,
            variables={"TF_DETERMINISTIC_OPS": "1"} if self.program.augments else {},
        )
        (self.own.parent / f"{self.own.name}-{side}.log").write_text(done.stdout + done.stderr)
        if done.returncode or not recording.exists():
            said = (done.stderr.strip() or done.stdout.strip()).splitlines()
            errors = [line for line in said if re.match(r"[\w.]*(Error|Exception)\b", line)]
            return (errors or said or ["no output"])[-1][:200]
        return ""

    def _migrate(self, *options: str) -> dict[str, Any]:
        places = [str(self.copy / name) for name in self.program.migrated or self.program.sources]
        done = run_python(
            self.python, (), *_SHIM, "migrate", "--json", *options, *places, cwd=self.own
        )
        totals: dict[str, Any] = json.loads(done.stdout)["totals"]
        return totals

    def _change_by_hand(self) -> None:
        for name, (before, after) in self.program.by_hand.items():
            path = self.copy / name
            text = path.read_text("utf-8")
            assert before in text, name
            path.write_text(text.replace(before, after), "utf-8")

    def _compare(self, *sides: str) -> dict[str, Any]:
        recordings = [str(self.own / f"{side}.lsr") for side in sides]
        recordings += ["--no-output"] * self.program.prints_times
        done = run_python(self.python, (), *_SHIM, "compare", "--json", *recordings, cwd=self.own)
        report = json.loads(done.stdout)
        first = report["first"]
        sizes = [one["size"] for one in report["growth"]]
        return {
            "verdict": report["verdict"],
            "reason": report["reason"],
            "steps": report["steps"],
            "largest": max(sizes, default=None, key=float) if sizes else None,
            "first": first and {name: first[name] for name in ("what", "step", "name", "before",
                                                                "after", "size")},
            "parted": report["parted"],
            "notes": report["notes"],
        }  # fmt: skip


def page(results: dict[str, Any]) -> str:
    """Returns the tables for the documentation, in Markdown."""
    rows = [_line(_COLUMNS), _line(["---"] * len(_COLUMNS))]
    old_rows = [_line(_OLD_COLUMNS), _line(["---"] * len(_OLD_COLUMNS))]
    for program in PROGRAMS:
        result = results.get(program.name)
        if result and "findings" in result:
            under = ", under `run` on both sides" if program.shim else ""
            under += ", after the change by hand that a finding asks for" if program.by_hand else ""
            under += ", without printed lines" if program.prints_times else ""
            under += ", with TF_DETERMINISTIC_OPS=1" if program.augments else ""
            rows.append(
                _line(
                    [
                        program.name,
                        _words(result) + under,
                        str(result["findings"]),
                        str(result["left"]),
                    ]
                )
            )
        elif result and "why" in result:
            rows.append(_line([program.name, _words(result), "", ""]))
        for version, old in (result or {}).get("old", {}).items():
            old_rows.append(_line([program.name, f"TensorFlow {version}", _words(old)]))
    olds = f"\n{''.join(old_rows)}" if len(old_rows) > 2 else ""
    return f"{_HEAD}{''.join(rows)}{olds}"


def _words(result: dict[str, Any]) -> str:
    if "why" in result:
        return f"not recorded: {result['why']}".replace("|", "/")
    first = result["first"]
    if first is None:
        return str(result["reason"])
    size = f", {float(first['size']):.0e}" if isinstance(first["size"], float) else ""
    words = f"different from step {first['step']} on: {first['what']} {first['name']}{size}"
    if result.get("again") == "different":
        words += "; the unchanged program does not do the same twice either"
    if result.get("rewritten") == 0:
        words += "; `migrate` rewrites nothing in it"
    return words


def _line(cells: Any) -> str:
    return f"| {' | '.join(cells)} |\n"


def main() -> None:
    """Proves the programs that are named, or all without a result."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--python", type=Path)
    parser.add_argument("--clones", type=Path, help="where clones are, or are made")
    parser.add_argument(
        "--old", action="append", default=[], metavar="VERSION=PYTHON=PACKAGES",
        help="an old environment, and the folder with what the program needs there",
    )  # fmt: skip
    options = parser.parse_intermixed_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    folder = options.folder.absolute()
    python = options.python or environment(folder)
    for program in PROGRAMS:
        wanted = any(name in program.name for name in options.names)
        if wanted or (not options.names and program.name not in results):
            clones = options.clones or folder / "clones"
            result = results.setdefault(program.name, {})
            for old in options.old:
                version, old_python, packages = old.split("=")
                proof = Proof(program, folder, python, clones)
                found = proof.with_old(Path(old_python), Path(packages).absolute())
                result.setdefault("old", {})[version] = found
            if not options.old:
                kept = {"old": result["old"]} if "old" in result else {}
                result = {**Proof(program, folder, python, clones).prove(), **kept}
            print(program.name, result, file=sys.stderr)
            # Another such command may have written its results meanwhile.
            results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
            results[program.name] = result
            RESULTS.write_text(json.dumps(results, indent=2, sort_keys=True) + "\n")
    PROOFS.write_text(page(results))
    write_page()


if __name__ == "__main__":
    main()

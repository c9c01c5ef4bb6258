# SPDX-License-Identifier: Apache-2.0
"""Which rules fire in real files, and which modules of the codemod real files need.

    python -m tests.codemods.repositories.reach FOLDER [--target TARGET ...] [NAME ...]

The repositories, their commits and FOLDER are those of `python -m tests.codemods.repositories`.
Each is migrated in a copy. A rule fires in a file if it reports or rewrites something there. A
function is needed by a file if it is entered while the file is migrated and the file gets a record.
The results are in `reach.json` and `reach.md`. What no file reaches is a candidate to be deleted.
"""

from __future__ import annotations

import argparse
import ast
import collections
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import lossscale_codemods
from lossscale_codemods.rules.base import all_rules

from tests.codemods.repositories.checkouts import clone, extract, git_folder, listed

RESULTS = Path(__file__).with_name("reach.json")
PAGE = Path(__file__).with_name("reach.md")
PACKAGE = Path(lossscale_codemods.__file__).parent
TARGETS = ("tf-keras", "keras3", "compat")
FEW = 4
"""As many files as make a mechanism doubtful."""
Reach = dict[str, Any]


def observe(target: str) -> Reach:
    """Migrates the current folder in this process, and notes what each file enters.

    Args:
        target: What to migrate to.

    Returns:
        The rules and the functions, as `module:line`, of each file that gets a record.
    """
    from lossscale_codemods.running import one_file

    from compat_lossscale.__main__ import main

    notes = tempfile.NamedTemporaryFile("w+", encoding="utf-8")  # noqa: SIM115  # for workers too
    prefix = f"{PACKAGE}{os.sep}"
    migrate_file = one_file.migrate_file

    def observed(path: Path, *arguments: Any) -> Any:
        seen: dict[int, Any] = {}

        def note(frame: Any, event: str, _: Any) -> None:
            if event == "call":
                seen[id(frame.f_code)] = frame.f_code  # Without a result, lines are not traced.

        sys.settrace(note)
        try:
            return migrate_file(path, *arguments)
        finally:
            sys.settrace(None)
            entered = [
                f"{one.co_filename.removeprefix(prefix)}:{one.co_firstlineno}"
                for one in seen.values()
                if one.co_filename.startswith(prefix)
            ]
            with Path(notes.name).open("a", encoding="utf-8") as file:
                print(json.dumps([os.path.relpath(path), entered]), file=file)

    one_file.migrate_file = observed
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    arguments = ["migrate", "--jobs=1", "--json", f"--target={target}", "--unsafe-fixes", "."]
    with contextlib.redirect_stdout(output), contextlib.suppress(SystemExit):
        sys.argv = ["compat-lossscale", *arguments]
        main()
    output.seek(0)
    entered: dict[str, set[str]] = {}
    for line in notes:
        path, functions = json.loads(line)
        entered.setdefault(path, set()).update(functions)
    files = {}
    for file in json.load(output)["files"]:
        rules = sorted({record["rule"] for record in file["records"]})
        if rules:
            found = sorted(entered.get(file["path"], ()))
            files[file["path"]] = {"rules": rules, "functions": found}
    return files


def functions() -> Iterator[tuple[str, int, int]]:
    """Yields each function of the codemod: module, first line with its decorators, lines.

    The lines of nested functions and classes are counted once, with the inner one.
    """
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).as_posix()
        yield from _functions(ast.parse(path.read_text("utf-8")), module)


def _functions(node: ast.AST, module: str) -> Iterator[tuple[str, int, int]]:
    for child in ast.iter_child_nodes(node):
        inner = list(_functions(child, module))
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([child.lineno, *(one.lineno for one in child.decorator_list)])
            lines = (child.end_lineno or first) - first + 1
            yield module, first, lines - sum(one[2] for one in inner)
        yield from inner


def summary(files: Mapping[str, Reach]) -> Reach:
    """Returns how many files each rule fires in and each function is needed by."""
    rules = collections.Counter(rule for one in files.values() for rule in one["rules"])
    needed = collections.Counter(name for one in files.values() for name in one["functions"])
    modules: dict[str, dict[str, int]] = {}
    for module, line, lines in functions():
        count = needed[f"{module}:{line}"]
        row = modules.setdefault(module, {"files": 0, "none": 0, "few": 0, "more": 0})
        row["files"] = max(row["files"], count)
        row["none" if not count else "few" if count <= FEW else "more"] += lines
    fires = {rule.id: {"title": rule.title, "files": rules[rule.id]} for rule in all_rules()}
    repositories = {"/".join(name.split("/")[:2]) for name in files}
    counts = {"repositories": len(repositories), "files": len(files)}
    return {**counts, "rules": fires, "modules": modules}


def text(found: Reach) -> str:
    """Returns the tables, in Markdown."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Reach) -> Iterator[str]:
    lines = {kind: sum(one[kind] for one in found["modules"].values()) for kind in _KINDS}
    total = sum(lines.values())
    yield "<!-- Made by `python -m tests.codemods.repositories.reach`; do not edit. -->"
    yield (
        f"{found['files']:,} real files of {found['repositories']} repositories get a record. Of "
        f"{total:,} lines in functions, "
        f"{lines['more'] / total:.0%} are needed by more than {FEW} of them, "
        f"{lines['few'] / total:.0%} by 1 to {FEW}, and {lines['none'] / total:.0%} by none."
    )
    yield ""
    yield "| Rule | Title | Real files |"
    yield "| --- | --- | ---: |"
    for rule, one in found["rules"].items():
        yield f"| {rule} | {one['title']} | {one['files']:,} |"
    yield ""
    yield f"| Module | Real files | Lines for more than {FEW} | For 1 to {FEW} | For none |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for module, one in found["modules"].items():
        yield f"| `{module}` | {one['files']:,} | {one['more']} | {one['few']} | {one['none']} |"


_KINDS = ("more", "few", "none")


def main() -> int:
    """Migrates the repositories, and writes the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="holds the clones")
    parser.add_argument("--clone", action="store_true", help="get what is missing from GitHub")
    parser.add_argument("--target", action="append", choices=TARGETS)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", help="owner/name; all by default")
    options = parser.parse_args()
    if options.child:
        os.chdir(options.folder)
        json.dump(observe(options.target[0]), sys.stdout)
        return 0
    files: dict[str, Reach] = {}
    for name, commit in listed().items():
        if options.names and name not in options.names:
            continue
        git = git_folder(options.folder, name)
        if git is None and options.clone:
            git = clone(options.folder, name, commit)
        if git is None:
            parser.error(f"{name} is not in {options.folder}; --clone gets it from GitHub")
        with tempfile.TemporaryDirectory() as folder:
            extract(git, commit, Path(folder))
            for target in options.target or TARGETS:
                for path, one in child(folder, target).items():
                    known = files.setdefault(f"{name}/{path}", {"rules": [], "functions": []})
                    for kind, found in one.items():
                        known[kind] = sorted({*known[kind], *found})
        print(f"{name}: {sum(one.startswith(f'{name}/') for one in files)} files", flush=True)
    found = summary(files)
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(text(found), encoding="utf-8")
    return 0


def child(folder: str, target: str) -> dict[str, Reach]:
    """Migrates a folder in a process of its own; `observe` says what is returned."""
    command = [sys.executable, "-m", "tests.codemods.repositories.reach", "--child"]
    done = subprocess.run(
        [*command, "--target", target, folder], capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} {folder}: {done.stderr.strip()}")
    found: dict[str, Reach] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    sys.exit(main())

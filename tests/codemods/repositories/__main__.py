# SPDX-License-Identifier: Apache-2.0
"""Migrates public repositories, and notes what became of them in `figures.json`.

    python -m tests.codemods.repositories FOLDER [--clone] [NAME ...]

The repositories and their commits are in `repositories.json`. FOLDER holds a clone of each, as
`owner/name` or `owner+name`; `--clone` gets those that are missing from GitHub. Nothing of them is
run, and nothing in FOLDER is changed.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from pathlib import Path

from tests.codemods.repositories.checkouts import clone, git_folder, listed
from tests.codemods.repositories.measure import measure
from tests.codemods.repositories.page import FIGURES, PAGE, text


def main() -> int:
    """Migrates the repositories; returns 1 if there is something to object to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="holds the clones")
    parser.add_argument("--clone", action="store_true", help="get what is missing from GitHub")
    parser.add_argument("names", nargs="*", help="owner/name; all by default")
    arguments = parser.parse_args()
    commits = listed()
    unknown = set(arguments.names) - set(commits)
    if unknown:
        parser.error(f"not in repositories.json: {', '.join(sorted(unknown))}")
    figures = json.loads(FIGURES.read_text(encoding="utf-8")) if arguments.names else {}
    problems = 0
    for name in arguments.names or commits:
        commit = commits[name]
        git = git_folder(arguments.folder, name)
        if git is None and arguments.clone:
            git = clone(arguments.folder, name, commit)
        if git is None:
            parser.error(f"{name} is not in {arguments.folder}; --clone gets it from GitHub")
        found = measure(git, commit)
        figures[name] = dataclasses.asdict(found)
        proven, unsafe = found.proven, found.unsafe
        said = [
            f"{group}: {count.rewritten} rewritten, {unsafe.groups[group].rewritten} with unsafe "
            f"fixes, {count.kept} kept, {sum(unsafe.groups[group].left.values())} left with them"
            for group, count in proven.groups.items()
        ]
        print(f"{name}: {'; '.join(said)}; {proven.seconds} s", flush=True)
        for problem in dict.fromkeys([*proven.problems, *unsafe.problems]):
            problems += 1
            print(f"  {problem}", flush=True)
        figures = {one: figures[one] for one in commits if one in figures}
        FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(text(figures), encoding="utf-8")
    return int(problems > 0)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Verdicts that are kept, so that what did not change since need not run again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lossscale_codemods.tables.names import Target

from tests.codemods.both_ways.explaining import Kind, Verdict, verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.codemods.both_ways.migrating import Migrated
    from tests.codemods.both_ways.running import BothSides

HERE: Final = Path(__file__).parent
_LONGEST = 160
_INSTALLED_AT = re.compile(r" \((/|[A-Z]:)[^()]*\)?|(?<=\")(/|[A-Z]:)[^\"]*[/\\]site-packages[/\\]")
"""Where a module is installed, as an `ImportError` or a traceback says it: another place on each
machine."""


class Results:
    """What was found of each program, and of which text of it."""

    def __init__(self, target: Target = Target.TF_KERAS, folder: Path = HERE) -> None:
        """Reads what was recorded.

        Args:
            target: What the programs were migrated to.
            folder: Where the file is.
        """
        self.target = target
        self._path = folder / _file("results", target)
        path = self._path
        self._recorded: dict[str, dict[str, str]] = (
            json.loads(path.read_text("utf-8")) if path.exists() else {}
        )

    def recorded(self, migrated: Migrated) -> Verdict | None:
        """Returns the verdict on a program, if neither it nor its migration changed since."""
        found = self._recorded.get(migrated.program.id, {})
        if found.get("digest") != migrated.digest:
            return None
        return Verdict(Kind(found["verdict"]), found["why"])

    def verdict(self, migrated: Migrated, sides: BothSides) -> Verdict:
        """Returns the verdict on a program, and runs it for that if it must."""
        return self.recorded(migrated) or verdict(migrated, *sides.run(migrated))

    def is_otherwise(self, program: str) -> bool:
        """Whether a migrated program does otherwise, as a finding says."""
        found = self._recorded.get(program, {}).get("verdict")
        return found in (Kind.AT_THE_LINE.value, Kind.IN_WHAT_IT_READS.value)

    def all(self) -> Mapping[str, Kind]:
        """Returns what was found of each program."""
        return {name: Kind(found["verdict"]) for name, found in self._recorded.items()}

    def keep(self, migrated: Migrated, found: Verdict) -> None:
        """Takes a verdict."""
        self._recorded[migrated.program.id] = {
            "digest": migrated.digest,
            "verdict": found.kind.value,
            "why": _INSTALLED_AT.sub("", found.why)[:_LONGEST],
        }

    def write(self, known: set[str]) -> None:
        """Writes what was recorded.

        Args:
            known: The programs that there are; what is not among them is left out.
        """
        kept = {name: self._recorded[name] for name in sorted(known & set(self._recorded))}
        lines = [f" {json.dumps(name)}: {json.dumps(one)}" for name, one in kept.items()]
        self._path.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def not_yet(target: Target = Target.TF_KERAS) -> dict[str, str]:
    """Returns the programs that are known to be migrated wrongly, each with the reason."""
    found: dict[str, str] = json.loads((HERE / _file("not_yet", target)).read_text("utf-8"))
    return found


def found_once() -> dict[str, str]:
    """Returns the programs that a second run finds nothing in any more, each with the reason."""
    found: dict[str, str] = json.loads((HERE / "found_once.json").read_text("utf-8"))
    return found


def _file(name: str, target: Target) -> str:
    return f"{name}.json" if target is Target.TF_KERAS else f"{name}-{target.value}.json"

# SPDX-License-Identifier: Apache-2.0
"""What a run is asked to do and to leave out, and what comments in a file leave out.

All of it is known long before anything is parsed, so it needs no parser.
"""

from __future__ import annotations

import dataclasses
import io
import re
import tokenize
from collections.abc import Collection, Mapping, Sequence
from typing import Final, TypeAlias

from lossscale_codemods.tables.names import Target

FORMER_IDS: Final = {
    "LS102": "LS101", "LS105": "LS104", "LS202": "LS201", "LS213": "LS211", "LS214": "LS902",
    "LS222": "LS221", "LS302": "LS301", "LS303": "LS301", "LS304": "LS311", "LS312": "LS311",
    "LS313": "LS311", "LS314": "LS311", "LS315": "LS311", "LS316": "LS311", "LS322": "LS321",
    "LS324": "LS323", "LS325": "LS911", "LS402": "LS401", "LS503": "LS501", "LS803": "LS802",
    "LS904": "LS903", "LS913": "LS911",
}  # fmt: skip
"""Ids of rules that are a part of another rule now."""
IS_OURS = "compat-lossscale:"
"""What a comment that is meant for the codemod has in it."""
_COMMENT = re.compile(r"#\s*compat-lossscale:\s*(ignore(?:-file)?)\b(?:\[([^\]]*)\])?")
EVERYTHING = ("",)


def stands_for(ids: Sequence[str], rule: str) -> bool:
    """Whether a rule is named: by its id, the beginning of its id, or a former id."""
    return rule.startswith(tuple(ids)) or any(FORMER_IDS.get(one) == rule for one in ids)


@dataclasses.dataclass(frozen=True)
class Selection:
    """Which rules a run applies.

    Attributes:
        select: Ids, or beginnings of ids, of the rules to apply; empty for all.
        ignore: Ids, or beginnings of ids, of the rules not to apply.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def applies(self, rule: str) -> bool:
        """Whether a rule is applied."""
        if self.ignore and stands_for(self.ignore, rule):
            return False
        return not self.select or stands_for(self.select, rule)

    def asks_for(self, rule: str) -> bool:
        """Whether a rule is applied and its group, or the rule itself, is named."""
        named = tuple(one for one in self.select if any(map(str.isdigit, one)))
        return bool(named) and stands_for(named, rule) and self.applies(rule)


def split_ids(text: str) -> tuple[str, ...]:
    """Splits a list of ids at its commas. Ids have upper case, whatever is written."""
    return tuple(part.strip().upper() for part in text.split(",") if part.strip())


class Suppressions:
    """What the comments in one file suppress.

        opt = LossScaleOptimizer(opt, scale)  # compat-lossscale: ignore[LS201]

        # compat-lossscale: ignore[LS201, LS5]
        opt = LossScaleOptimizer(opt, scale)

        # compat-lossscale: ignore-file[LS201]

    Without ids, everything is left out. An id also stands for all ids that start with it.
    """

    def __init__(self, text: str) -> None:
        self.whole_file: tuple[str, ...] = ()
        self.lines: dict[int, tuple[str, ...]] = {}
        if IS_OURS not in text:
            return
        lines = text.split("\n")
        for comment in comments(text):
            line, match = comment.start[0], _COMMENT.search(comment.string)
            if match is None:
                continue
            ids = split_ids(match.group(2) or "") or EVERYTHING
            if match.group(1) == "ignore-file":
                self.whole_file += ids
                continue
            self._add(line, ids)
            if lines[line - 1].lstrip().startswith("#"):
                self._add(_next_code_line(lines, line), ids)

    def _add(self, line: int, ids: tuple[str, ...]) -> None:
        self.lines[line] = self.lines.get(line, ()) + ids

    def covers(self, rule: str, lines: Collection[int]) -> bool:
        """Whether a rule's record that touches these lines is suppressed."""
        if self.whole_file and stands_for(self.whole_file, rule):
            return True
        return any(line in self.lines and stands_for(self.lines[line], rule) for line in lines)


def comments(text: str) -> list[tokenize.TokenInfo]:
    """Returns the comments of a program."""
    tokens: list[tokenize.TokenInfo] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                tokens.append(token)
    except (tokenize.TokenError, SyntaxError):
        # It knows less than the parser, for example carriage returns alone; what was read counts.
        pass
    return tokens


def _next_code_line(lines: Sequence[str], line: int) -> int:
    while line < len(lines) and lines[line].lstrip().startswith("#"):
        line += 1
    return line + 1


@dataclasses.dataclass(frozen=True)
class Exports:
    """What is known of the other files.

    Attributes:
        package: Whether the file is a package's own, whose imports are there for other files.
        users: Names that other files use, each with such a file. Those that begin with a dot are
            attributes of classes.
    """

    package: bool = False
    users: Mapping[str, str] = dataclasses.field(default_factory=dict)


Observed: TypeAlias = "Mapping[int, Mapping[str, tuple[str, int]]]"


@dataclasses.dataclass(frozen=True)
class Options:
    """What a run does.

    Attributes:
        target: What programs are migrated to.
        selection: Which rules are applied.
        collapse_guards: Whether branches for old versions are taken out.
        unsafe_fixes: Whether what is probably right, and not proven, is rewritten as well.
        notebook: Whether the source is the cells of a notebook, where `await` may be outside
            of functions.
        legacy_optimizers: Whether Keras optimizers stay of the family that `tf.keras.optimizers`
            had up to TensorFlow 2.10; by default, in programs with old names. `True` says that
            others are of that time as well.
        runs_with: A file with old names that runs in one program with this one, if there is one.
        exports: What is known of the files that may import this one.
        line_length: How long a line may get before it is hung. Without it, none is.
        together: The files that run in one program with this one.
        observed: What a recorded run saw: by file, relative to the folder that the program is in,
            by line, and by what was done there, the one kind that came by and how often.
        observed_here: The same of the file itself.
        per_file_ignores: Patterns of files as in `.gitignore`, each with the rules that are not
            applied in them.
        ignores_from: The folder in which these start.
    """

    target: Target = Target.TF_KERAS
    selection: Selection = dataclasses.field(default_factory=Selection)
    collapse_guards: bool = False
    unsafe_fixes: bool = False
    notebook: bool = False
    legacy_optimizers: bool | None = None
    runs_with: str = ""
    exports: Exports = dataclasses.field(default_factory=Exports)
    line_length: int | None = None
    together: frozenset[str] = frozenset()
    observed: Mapping[str, Observed] = dataclasses.field(default_factory=dict)
    observed_here: Observed = dataclasses.field(default_factory=dict)
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    ignores_from: str = ""

    def observed_in(self, path: str) -> Observed:
        """Returns what a recorded run saw in a file."""
        ends = [name for name in self.observed if f"/{path}".endswith(f"/{name}")]
        return self.observed[max(ends, key=len)] if ends else {}

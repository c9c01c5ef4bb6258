# SPDX-License-Identifier: Apache-2.0
"""What a run is asked to do; known long before anything is parsed, so it needs no parser."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TypeAlias

from lossscale_codemods.tables.names import Target
from lossscale_codemods.tables.suppression import Selection


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

# SPDX-License-Identifier: Apache-2.0
"""Old names that become new ones, where nothing but the name changes."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lossscale_codemods.domain import Occurrence, Program, Role, Usage
from lossscale_codemods.rules.base import (
    Found,
    ImportState,
    Review,
    Rewrite,
    Rule,
    Suppressed,
    Verdict,
    rename,
)
from lossscale_codemods.tables.names import Meaning, Target

_COMPARED = {
    Usage.TYPE_TEST: "isinstance with the current class",
    Usage.ANNOTATION: "annotated with the current class",
    Usage.CUSTOM_OBJECT: "the current class under its name",
}

_NEVER_TRUE = Review(
    "what the current class makes is of other classes from TensorFlow 2.11 on, so that this is "
    "never true",
    "Ask isinstance(...), which also accepts these classes.",
)


class CompatNames(Rule):
    """With `--target compat`, names of the old API become the same names in compat_lossscale."""

    id = "LS001"
    title = "Old names with `--target compat`"
    targets = frozenset([Target.COMPAT])

    def find(self, program: Program) -> Iterator[Found]:
        """Yields comparisons of types with the class, whose objects are of several classes."""
        for occurrence in program.references:
            compares = program.usage(occurrence) is Usage.TYPE_COMPARISON
            if compares and occurrence.meaning is Meaning.OPTIMIZER:
                above = program.tree.ancestors(occurrence.node)
                comparison = next(node for node in above if isinstance(node, cst.Comparison))
                yield self.found(comparison, program, _NEVER_TRUE)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells what compat_lossscale has."""
        if occurrence.role is Role.UNRESOLVED or not occurrence.names:
            return None
        if not all(old.new_paths(program.target) for old in occurrence.names):
            return Review(
                "compat_lossscale does not have this name",
                "Move to tf.compat.v1.mixed_precision, or to the non-experimental Keras API.",
            )
        if occurrence.meaning is Meaning.MODULE and program.usage(occurrence) is Usage.MEMBER:
            return Review(
                "compat_lossscale does not have what is taken from this module",
                "Take it from where it is public, or do without it.",
            )
        return rename("the same name in compat_lossscale", occurrence)


class TypeTests(Rule):
    """Type tests and annotations with an old class get the new class."""

    id = "LS401"
    title = "isinstance, annotations, custom objects"

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells the class."""
        if occurrence.meaning in (Meaning.MODULE, Meaning.CONTRIB, None):
            return None
        usage = program.usage(occurrence)
        if occurrence.role is not Role.REFERENCE:
            return None
        if usage is Usage.TYPE_COMPARISON and occurrence.meaning in (
            Meaning.OPTIMIZER,
            Meaning.POLICY,
        ):
            return _NEVER_TRUE
        is_optimizer = occurrence.meaning is Meaning.OPTIMIZER and program.target is Target.TF_KERAS
        if usage is Usage.CUSTOM_OBJECT and is_optimizer:
            return Review(
                "tf-keras cannot load the current class as a custom object, because it has no "
                "from_config()",
                "Remove it from custom objects: TensorFlow knows its class itself.",
            )
        return rename(_COMPARED[usage], occurrence) if usage in _COMPARED else None


class V1Names(Rule):
    """The v1 wrapper gets its current name, `tf.compat.v1.mixed_precision.*`."""

    id = "LS601"
    title = "Names of the v1 API"
    meanings = frozenset({Meaning.V1_OPTIMIZER, Meaning.REWRITE_OFF})

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells what is no base class."""
        if program.usage(occurrence) in (Usage.BASE_CLASS, Usage.MEMBER):
            return None
        return rename("the name that is still there under compat.v1", occurrence)


class Imports(Rule):
    """Imports of old names import the new ones, under the name that the file already uses."""

    id = "LS101"
    title = "Imports and aliases"
    targets = frozenset(Target)
    decides_imports = True

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Renames what an alias stands for; whether the alias can move is decided with its uses."""
        if occurrence.role is Role.REFERENCE and program.usage(occurrence) is Usage.ALIAS:
            return rename("the alias stands for the new name", occurrence)
        return None

    def decide_import(self, occurrence: Occurrence, state: ImportState) -> Verdict:
        """Says which name is imported now, or why the old one still is."""
        # The edits are made where imports are put together.
        if state.moved:
            return Rewrite("imports the name that means the same today", lambda _: [])
        if state.dropped:
            return Rewrite("is no longer imported, because nothing uses it", lambda _: [])
        if state.only_suppressed:
            return Suppressed()
        reason, advice = state.reason, "Change those uses first, then run again."
        if state.star:
            reason = reason or "which names it brings in cannot be seen here"
            advice = "Import the names that are still needed from where they are today."
        elif not occurrence.names[0].new:
            reason = reason or f"{occurrence.names[0].path} has no equivalent"
        reason = reason or "the names under it are still used"
        return Review(f"the import stays as it is: {reason}", advice, follows=state.follows)

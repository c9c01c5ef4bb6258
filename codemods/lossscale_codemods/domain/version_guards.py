# SPDX-License-Identifier: Apache-2.0
"""Code that already supports old and new versions: recognised, and its old branches left.

    if version.parse(tf.__version__) >= version.parse("2.4"):
        opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)
    else:
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")

To rewrite the old branch would make both branches equal, or break the old version it is for.
`--collapse-guards` takes it out. A program whose old names are all in such branches runs today as
it is, with the optimizers of today; so do its other files.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain.finding_guards import Guard, find_guards, is_within
from lossscale_codemods.domain.occurrences import Occurrence, Role
from lossscale_codemods.domain.program import Program
from lossscale_codemods.source.syntax_tree import dotted
from lossscale_codemods.tables import frameworks
from lossscale_codemods.tables.names import Meaning

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def expects_error(node: cst.CSTNode, program: Program) -> bool:
    """Whether a node is under `with pytest.raises(...)` or `with self.assertRaises(...)`."""
    inner = node
    for above in program.tree.ancestors(node):
        if isinstance(above, cst.FunctionDef | cst.Lambda | cst.ClassDef):
            return False
        if isinstance(above, cst.With) and inner is above.body:
            for item in above.items:
                func = item.item.func if isinstance(item.item, cst.Call) else item.item
                if "raises" in (dotted(func) or "").rpartition(".")[2].lower():
                    return True
        inner = above
    return False


def is_in_test(node: cst.CSTNode, program: Program) -> bool:
    """Whether a node is in a test: a test case's class, or a `test` function that asserts."""
    for above in program.tree.ancestors(node):
        if isinstance(above, cst.ClassDef) and _is_test_case(above):
            return True
        if (
            isinstance(above, cst.FunctionDef)
            and above.name.value.startswith("test")
            and any(_asserts(part) for part in program.tree.walk(above.body))
        ):
            return True
    return False


def _is_test_case(node: cst.ClassDef) -> bool:
    bases = [(dotted(base.value) or "").rpartition(".")[2] for base in node.bases]
    return any(base.endswith(("TestCase", "Test")) for base in bases)


def _asserts(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Assert):
        return True
    if not isinstance(node, cst.Call):
        return False
    last = (dotted(node.func) or "").rpartition(".")[2].lower()
    return last.startswith("assert") or last == "raises"


COLLAPSE_ADVICE = (
    "Take out the branch for old versions, by hand or with --collapse-guards, if TensorFlow 2.4 is "
    "the oldest that you support."
)
ADVICE = (
    "Take out the branch for old versions by hand, if TensorFlow 2.4 is the oldest that you "
    "support."
)


ADVICE_ALONE = (
    "Do the same with the new names in newer versions, then take out the branch for old ones."
)


@dataclasses.dataclass(frozen=True)
class Reason:
    """Why an occurrence is left for the sake of old versions.

    Attributes:
        message: The reason.
        advice: What to do.
        sure: Whether it is one for all that is seen here.
        right: Whether the program does the same in new versions, with other names.
        guard: The guard, which is one however many old names are in it.
    """

    message: str
    advice: str
    sure: bool
    guard: cst.CSTNode
    right: bool = True


def guarded(program: Program, occurrences: Sequence[Occurrence]) -> dict[Occurrence, Reason]:
    """Returns the occurrences in branches for old versions, each with the reason to leave it."""
    reason_of: dict[Occurrence, Reason] = {}
    occurrences = [o for o in occurrences if o.role is not Role.STRING]
    for guard in find_guards(program, occurrences):
        reason = _reason(program, guard)
        for occurrence in occurrences:
            # What only seems to be old says nothing of a branch, and stays in one all the same.
            within = any(is_within(program, occurrence.node, part) for part in guard.old)
            if not within and program.reachability.guard_of(occurrence.node) is not guard.node:
                continue
            reason_of.setdefault(occurrence, reason)
    return reason_of


def _whole(program: Program, node: cst.CSTNode) -> cst.CSTNode:
    """Returns the `if` that an `elif` belongs to, or the node itself."""
    above = program.tree.parent(node)
    while isinstance(above, cst.If) and above.orelse is node:
        node, above = above, program.tree.parent(above)
    return node


def _reason(program: Program, guard: Guard) -> Reason:
    line, whole = program.line(guard.node), _whole(program, guard.node)
    if not guard.sure:
        return Reason(
            f"the condition on line {line} chooses between it and its new name, so it seems to be "
            "for old versions",
            ADVICE,
            sure=False,
            guard=whole,
            right=False,
        )
    message = f"it is the branch for old versions of the guard on line {line}"
    if guard.alone:
        message += ", and nothing takes its place in newer ones, so that these run without it"
        return Reason(message, ADVICE_ALONE, sure=True, guard=whole, right=False)
    if not _can_go(program, guard):
        return Reason(message, ADVICE, sure=True, guard=whole)
    if program.collapse_problem:
        why = f"which cannot be collapsed in this file: {program.collapse_problem.rstrip('.')}"
        return Reason(f"{message}, {why}", ADVICE, sure=True, guard=whole)
    message += ", which can be collapsed to the new branch"
    return Reason(message, COLLAPSE_ADVICE, sure=True, guard=whole)


def mistaken(program: Program, occurrences: Sequence[Occurrence]) -> list[cst.CSTNode]:
    """Returns guards for old versions that some of today pass as well, around old names.

    What is in them runs today, so it is no branch for old versions.
    """
    guards = (
        program.reachability.mistaken_guard_of(occurrence.node)
        for occurrence in occurrences
        if occurrence.role is not Role.STRING
    )
    return list(dict.fromkeys(guard for guard in guards if guard is not None))


def for_new_versions(program: Program, occurrences: Sequence[Occurrence]) -> frozenset[Occurrence]:
    """Returns the occurrences that no old version comes to, and that are right in new ones."""
    return frozenset(
        occurrence
        for occurrence in occurrences
        if (occurrence.role is Role.DOUBTFUL or _is_new_as_well(occurrence, program))
        and program.reachability.is_only_new(occurrence.node)
    )


def _is_new_as_well(occurrence: Occurrence, program: Program) -> bool:
    """Whether a name can be one of today, and is not called with arguments that may be old."""
    paths = program.resolver.paths(occurrence.node) if occurrence.ambiguous else ()
    is_constructor = occurrence.meaning in (Meaning.OPTIMIZER, Meaning.POLICY)
    is_made = is_constructor and program.call(occurrence) is not None
    return not is_made and any(p is not None and frameworks.is_new_name(p) for p in paths)


def collapsible(program: Program, occurrences: Sequence[Occurrence]) -> Iterator[Guard]:
    """Yields the guards that can be taken out as a whole, and what is for new versions kept.

    Imports come last, because flags that they set are the conditions of other guards.
    """
    occurrences = [o for o in occurrences if o.role is not Role.STRING]
    guards = sorted(find_guards(program, occurrences), key=lambda g: isinstance(g.node, cst.Try))
    return (guard for guard in guards if _can_go(program, guard))


def gone_with(
    program: Program, guard: Guard, occurrences: Sequence[Occurrence]
) -> list[Occurrence]:
    """Returns the occurrences that go with a guard that is taken out."""
    told = (Role.STRING, Role.DOUBTFUL)
    return [
        occurrence
        for occurrence in occurrences
        if occurrence.role not in told and _goes(program, guard, occurrence.node)
    ]


def _goes(program: Program, guard: Guard, node: cst.CSTNode) -> bool:
    return is_within(program, node, guard.node) and not (
        guard.new is not None and is_within(program, node, guard.new)
    )


def _can_go(program: Program, guard: Guard) -> bool:
    if guard.new is None or not guard.sure or _binds_for_others(program, guard):
        return False
    if isinstance(guard.node, cst.IfExp):
        return True
    if isinstance(guard.node, cst.Try):
        whole = guard.node
        if whole.orelse is not None or whole.finalbody is not None or len(whole.handlers) != 1:
            return False
        if guard.new is not whole.body and not _fails_at_once(program, whole):
            return False
    return isinstance(guard.new, cst.IndentedBlock) and not any(
        isinstance(n, cst.BaseString) and "\n" in program.tree.source(n)
        for n in program.tree.walk(guard.new)
    )


def _fails_at_once(program: Program, node: cst.Try) -> bool:
    """Whether new versions run nothing of a `try` block before they come to an old name."""
    first = next(iter(node.body.body), None)
    old = [*program.references, *program.imports]
    return first is not None and any(is_within(program, one.node, first) for one in old)


def _binds_for_others(program: Program, guard: Guard) -> bool:
    """Whether a name gets its value, where it is read behind a guard, in what goes alone."""
    scopes = program.scopes
    goes = {
        binding
        for node, bindings in scopes.binding_at.items()
        if _goes(program, guard, node)
        for binding in bindings
    }
    return any(
        goes.issuperset(scopes.reaching.get(use, ()))
        for binding in goes
        for use in binding.uses
        if not is_within(program, use, guard.node)
    )


def uses_old_api(program: Program) -> bool:
    """Whether there are old names in a file's code, other than those kept for older versions."""
    if program.has_old_uses or program.has_old_arguments:
        return True
    return program.remembered("unguarded old names", lambda: _has_unguarded(program))


def _has_unguarded(program: Program) -> bool:
    old = [*program.references, *program.imports]
    kept = guarded(program, old)
    return any(
        not _is_new_today(one, program) and (one not in kept or not kept[one].sure) for one in old
    )


def _is_new_today(occurrence: Occurrence, program: Program) -> bool:
    """Whether a name is an old one in old versions only."""
    return occurrence.ambiguous and all(
        path is not None and frameworks.is_new_name(path)
        for path in program.today.paths(occurrence.node)
    )


def is_part_of_old(program: Program) -> bool:
    """Whether a file is part of a program that comes to old names."""
    known = program.runs_with_old
    return uses_old_api(program) if known is None else known

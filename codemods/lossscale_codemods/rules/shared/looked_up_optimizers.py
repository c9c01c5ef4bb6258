# SPDX-License-Identifier: Apache-2.0
"""Where a program looks up optimizers: in their module as a whole, or by strings that name it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.optimizer_names import looked_up_name
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.vocabulary import optimizer_families

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program

_RUNS = frozenset({"eval", "exec", "locate", "import_string", "patch"})


def looked_up_modules(program: Program) -> Iterator[cst.Call]:
    """Yields `getattr(tf.keras, "optimizers")`."""
    for node in program.tree.parents:
        if isinstance(node, cst.Call) and looked_up_name(node) is not None:
            paths = program.resolver.paths(node)
            if any(path is not None and optimizer_families.is_home(path) for path in paths):
                yield node


def naming_strings(program: Program) -> Iterator[cst.CSTNode]:
    """Yields strings that code may look up optimizers by."""
    for node, above in program.tree.parents.items():
        if isinstance(node, cst.SimpleString):
            is_path = optimizer_families.is_spelled_in(node.raw_value)
            if is_path and not _is_no_lookup(node, program):
                yield node
            elif isinstance(above, cst.Arg) and optimizer_families.ends_in(node.raw_value):
                call = program.tree.parent(above)
                if isinstance(call, cst.Call) and _called(call) == "attrgetter":
                    yield node
        elif isinstance(node, cst.FormattedStringText) and isinstance(above, cst.FormattedString):
            call = program.tree.parent(program.tree.parent(above) or above)
            looked_up = isinstance(call, cst.Call) and _called(call) in _RUNS
            if looked_up and optimizer_families.is_spelled_in(node.value):
                yield node


def only_asks(call: cst.Call) -> bool:
    """Whether a call only asks what is in the module, or looks up a class by a string."""
    asks = dotted(call.func) in {"dir", "hasattr"}
    return asks or isinstance(looked_up_name(call), cst.SimpleString)


def is_looked_up(node: cst.CSTNode, program: Program) -> bool:
    """Whether one class of the module is looked up, by a name that is not written out."""
    above = program.tree.parent(node)
    if isinstance(above, cst.Attribute):
        return isinstance(program.tree.parent(above), cst.Subscript)
    call = program.tree.parent(above) if above is not None else None
    if not isinstance(call, cst.Call) or call.args[0] is not above:
        return False
    if dotted(call.func) == "vars":
        return isinstance(program.tree.parent(call), cst.Subscript)
    return looked_up_name(call) is not None


def names_new_classes(program: Program) -> bool:
    """Whether the file names classes, in strings, that are in the new family alone."""
    return any(
        isinstance(node, cst.SimpleString) and node.evaluated_value in optimizer_families.ONLY_NEW
        for node in program.tree.parents
    )


def _is_no_lookup(node: cst.SimpleString, program: Program) -> bool:
    """Whether a string is an annotation, documentation or printed, or a module that is followed."""
    above = program.tree.parent(node)
    call = program.tree.parent(above) if isinstance(above, cst.Arg) else None
    if isinstance(call, cst.Call) and _called(call) in {"import_module", "print"}:
        return True
    return isinstance(above, cst.Expr) or any(
        isinstance(one, cst.Annotation) for one in program.tree.ancestors(node)
    )


def _called(call: cst.Call) -> str:
    return (dotted(call.func) or "").rpartition(".")[2]

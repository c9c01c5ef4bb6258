# SPDX-License-Identifier: Apache-2.0
"""Strings that a program runs as code: given to `exec`, to `eval`, or to `python -c`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lossscale_codemods.analysis.libcst_on_demand import cst

if TYPE_CHECKING:
    from lossscale_codemods.analysis.program import Program

_METHODS: Final = frozenset({"compile", "eval"})
_BUILT_IN: Final = frozenset({"eval", "exec"})
_RUNS: Final = frozenset(
    {"compile", "eval", "exec", "run_cell_magic", "run_line_magic", "system"} | {"Timer", "timeit"}
)
_SHOWS: Final = frozenset(
    {"debug", "error", "exception", "fail", "info", "log", "print", "skip", "warn", "warning"}
)
"""Functions that show a text to people."""
_FIELD: Final = "\0"


def text_of(node: cst.SimpleString | cst.FormattedString) -> str | None:
    """Returns the text of a string that is valid; there is nothing in the place of fields."""
    if isinstance(node, cst.FormattedString):
        parts = (p.value if isinstance(p, cst.FormattedStringText) else _FIELD for p in node.parts)
        return "".join(parts)
    try:
        return str(node.evaluated_value)
    except (ValueError, SyntaxError):
        return None


def is_run(program: Program, node: cst.CSTNode) -> bool:
    """Whether a string is given to a function that runs it."""
    for above in program.tree.ancestors(node):
        if isinstance(above, cst.Call) and last_name(above) in _RUNS and not _is_method(above):
            return True
        if isinstance(above, cst.List | cst.Tuple) and any(
            program.tree.source(element.value) in {'"-c"', "'-c'"} for element in above.elements
        ):
            return True  # `python -c ...`
        if isinstance(above, cst.Assign) and above.value is node:
            targets = [t.target for t in above.targets]
            bindings = [b for t in targets for b in program.scopes.binding_at.get(t, [])]
            return any(is_run(program, use) for binding in bindings for use in binding.uses)
        if isinstance(above, cst.BaseStatement | cst.BaseSmallStatement):
            break
    return False


def can_be_run(program: Program, node: cst.CSTNode) -> bool:
    """Whether a string can come to `exec` or `eval`, on a way that cannot be followed."""
    for above in program.tree.ancestors(node):
        if isinstance(above, cst.Expr | cst.Raise | cst.Assert):
            # A text that stands alone is a docstring.
            return isinstance(above, cst.Expr) and above.value is not node and _runs(program)
        if isinstance(above, cst.Call) and last_name(above) in _SHOWS:
            return False
    return _runs(program)


def _runs(program: Program) -> bool:
    return any(
        isinstance(one, cst.Name) and one.value in _BUILT_IN and not program.resolver.bindings(one)
        for one in program.scopes.scope_of_read
    )


def last_name(call: cst.Call) -> str:
    """Returns the last name of what is called."""
    last = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
    return last.value if isinstance(last, cst.Name) else ""


def _is_method(call: cst.Call) -> bool:
    """Whether `re.compile` or `model.compile` is called, not the function of this name."""
    return isinstance(call.func, cst.Attribute) and call.func.attr.value in _METHODS

# SPDX-License-Identifier: Apache-2.0
"""Subclasses of the v1 classes that mean the same on TensorFlow's own and on this package's.

`compat-lossscale run` gives a program subclasses of TensorFlow's classes, which have more members
and replace a few. A class that inherits from them does the same with either, unless it uses or
replaces one of those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.modules import ProjectClass
from lossscale_codemods.analysis.syntax_tree import dotted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program

_ADDED = """
_advance_in_graph _as_graph_element _as_node_def_input _assert_in_graph _count_skipped
_counts_skipped_too _disallow _disallow_bool_casting _disallow_iteration _dtype _fixed_scale
_get_first_dim _graph_element _guards _has_said_it_is_stuck _hysteresis_left _log_if_dynamic
_matmul _multiply _never_moves _note_applied _numpy_style_getitem _overflow_inspection
_overflow_log _override_operator _record_overflows _record_tape _scaled _set_up _set_up_from
_settings _shape_as_list _shape_tuple _start_counting _stated_rule _step_counter _step_log
_take_overflows _tf_should_use_wrapped_value _USE_EQUALITY _with_index_add _with_index_max
_with_index_min _with_index_update advance counter current_loss_scale device dtype eval
experimental_ref get_shape good_steps graph growth_steps has_to_shrink_at_floor hysteresis_left
last_step_skipped loss_scale_rule make_fetchable name ndim numbers numpy of_any_value of_variables
op OVERLOADABLE_OPERATORS ref rule set_shape settings shape sharing_state_of skipped_steps spec
state stays_at_cap
"""
ADDED = frozenset(_ADDED.split())
"""Members that only the classes under `run` have."""
_SPECIAL = frozenset({"__call__", "__doc__", "__init__", "__repr__", "__str__"})
"""Special methods that a subclass may define."""
_ASKING = frozenset({"delattr", "getattr", "hasattr", "setattr"})


def means_the_same(occurrence: Occurrence, program: Program) -> bool:
    """Whether a class means the same with the base of today, as far as its own code says.

    Args:
        occurrence: The base class.
        program: The file.
    """
    argument = program.tree.parent(occurrence.node)
    node = program.tree.parent(argument) if argument is not None else None
    if not isinstance(node, cst.ClassDef) or occurrence.ambiguous:
        return False
    if len(node.bases) != 1 or node.keywords or node.decorators:
        return False
    scope = program.scopes.of_node[node]
    project = program.types.project
    if project.members.subclasses(ProjectClass(program.resolver, scope)) != []:
        return False
    if any(_is_of_tensorflow(name) for name in scope.bindings):
        return False
    return ADDED.isdisjoint(_members(node, program))


def _is_of_tensorflow(name: str) -> bool:
    """Whether a member may replace one that TensorFlow's own code calls and `run` does not."""
    return name.startswith("_") and name not in _SPECIAL


def _members(node: cst.ClassDef, program: Program) -> Iterator[str]:
    """Yields the names of what a class defines, and of what it reads and sets on its objects."""
    scope = program.scopes.of_node[node]
    yield from scope.bindings
    yield from scope.attributes
    unknown = next(iter(ADDED))
    for inner in program.tree.walk(node.body):
        if isinstance(inner, cst.Attribute) and _is_self(inner.value, program):
            yield inner.attr.value
        elif isinstance(inner, cst.Call) and dotted(inner.func) in _ASKING and inner.args:
            name = inner.args[1].value if len(inner.args) > 1 else None
            if _is_self(inner.args[0].value, program):
                yield str(name.evaluated_value) if isinstance(name, cst.SimpleString) else unknown


def _is_self(node: cst.BaseExpression, program: Program) -> bool:
    if isinstance(node, cst.Call):
        return dotted(node.func) == "super"
    return dotted(node) == "self" or program.resolver.class_of(node) is not None

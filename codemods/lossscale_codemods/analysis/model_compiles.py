# SPDX-License-Identifier: Apache-2.0
"""The calls of a file that compile a Keras model, and what they take for the optimizer."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import BindingKind
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.modules import ProjectClass
from lossscale_codemods.analysis.object_types import ObjectType, Value
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.analysis.type_inference import compile_argument
from lossscale_codemods.analysis.what_is import looks_like_settings
from lossscale_codemods.vocabulary import frameworks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lossscale_codemods.analysis.name_resolution import Resolver
    from lossscale_codemods.analysis.program import Program

_TEXTS = frozenset(
    {"Choice", "format", "get", "getattr", "getenv", "input", "lower", "next", "pop", "str"}
    | {"strip", "upper"}
)
"""Functions that may give a string; of others that are not known, an optimizer is expected."""
_DEEPEST = 8


@dataclasses.dataclass(frozen=True)
class Compile:
    """A call of `compile`.

    Attributes:
        call: The call.
        is_proven: Whether it surely compiles a model of tf-keras.
        arguments: What it gets, without the model that `Model.compile(model, ...)` gets as well.
        optimizer: What it gets for the optimizer, if that can be seen.
        is_unpacked: Whether it may get one from what it unpacks.
    """

    call: cst.Call
    is_proven: bool
    arguments: Sequence[cst.Arg]
    optimizer: cst.Arg | None
    is_unpacked: bool


def model_compiles(program: Program) -> Iterator[Compile]:
    """Yields the calls that compile a model, or may do so.

    Args:
        program: The file.
    """
    for node in program.tree.parents:
        compiled = model_compile(node, program)
        if compiled is not None:
            yield compiled


def model_compile(node: cst.CSTNode | None, program: Program) -> Compile | None:
    """Returns what a call compiles, if it compiles a model or may do so.

    Args:
        node: Any node.
        program: The file.
    """
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None
    proven = _compiles_model(node.func, program)
    if proven is None:
        return None
    arguments = node.args[1:] if _gets_model(node, node.func, program) else node.args
    optimizer = compile_argument(arguments)
    unpacked = optimizer is None and any(argument.star for argument in node.args)
    return Compile(node, proven, arguments, optimizer, unpacked)


def kept_compiles(program: Program) -> Iterator[cst.Attribute]:
    """Yields reads of `compile` that is not called at once, of what is or may be a model.

    Args:
        program: The file.
    """
    for node in program.reads_by_attribute.get("compile", ()):
        above = program.tree.parent(node)
        kept = isinstance(above, cst.Arg | cst.Assign | cst.AnnAssign | cst.Return | cst.Element)
        proven = _compiles_model(node, program) if kept else None
        if proven or (proven is False and not looks_like_settings(node.value)):
            yield node


def _compiles_model(func: cst.Attribute, program: Program) -> bool | None:
    """Whether `x.compile` compiles a model of tf-keras: surely, maybe, or surely not (`None`)."""
    if func.attr.value != "compile":
        return None
    if _is_of_keras(func, program):
        return True
    if None not in program.resolver.paths(func):
        return None  # `re.compile` and the like are functions of modules.
    kinds = {value.kind for value in _compiled(func, program)}
    if not kinds & {ObjectType.MODEL, ObjectType.UNKNOWN}:
        return None
    return kinds <= {ObjectType.MODEL, ObjectType.NOTHING}


def _is_of_keras(func: cst.Attribute, program: Program) -> bool:
    """Whether a function is `compile` of a class of Keras itself."""
    paths = program.resolver.paths(func.value)
    return bool(paths) and all(p is not None and frameworks.is_new_keras_model(p) for p in paths)


def _gets_model(call: cst.Call, func: cst.Attribute, program: Program) -> bool:
    """Whether a model is the first argument of a call of `compile`."""
    first = call.args[0].value if call.args and not call.args[0].star else None
    of_class = _is_of_keras(func, program) or any(
        binding.kind is BindingKind.CLASS for binding in program.resolver.bindings(func.value)
    )
    return of_class or (first is not None and program.resolver.class_of(first) is not None)


def _compiled(func: cst.Attribute, program: Program) -> Iterable[Value]:
    """Returns what is compiled, but for objects whose class has a `compile` of its own."""
    types, members = program.types, program.types.project.members
    owner = program.resolver.class_of(func.value)
    if isinstance(func.value, cst.Call) and dotted(func.value.func) == "super":
        around = (n for n in program.tree.ancestors(func) if isinstance(n, cst.ClassDef))
        inside = next(around, None)
        if inside is None:
            return []
        one = ProjectClass(types.resolver, program.scopes.of_node[inside])
        above = members.line(one)[1:]
        return [] if any("compile" in c.scope.bindings for c in above) else types.instance(one)
    if owner is not None:
        values: Iterable[Value] = types.instance(ProjectClass(types.resolver, owner))
    else:
        values = types.values(func.value)
    return [
        value
        for value in values
        if value.instance_of is None or not members.method(value.instance_of, "compile")
    ]


def may_be_text(node: cst.BaseExpression, program: Program) -> bool:
    """Whether an expression, of which nothing else is known, may be a string.

    Args:
        node: The expression.
        program: The file.
    """
    return _may_be_text(node, program.resolver, program, _DEEPEST)


def _may_be_text(
    node: cst.BaseExpression, resolver: Resolver, program: Program, depth: int
) -> bool:
    if isinstance(node, cst.Call):
        return depth > 0 and _may_give_text(node, resolver, program, depth - 1)
    if isinstance(node, cst.Name):
        bindings = resolver.bindings(node)
        made = [b.value for b in bindings if b.kind is BindingKind.ASSIGN and b.value is not None]
        return len(made) < len(bindings) or any(
            depth > 0 and _may_be_text(one, resolver, program, depth - 1) for one in made
        )
    return isinstance(
        node,
        cst.Attribute | cst.Subscript | cst.IfExp | cst.BooleanOperation | cst.SimpleString,
    )


def _may_give_text(node: cst.Call, resolver: Resolver, program: Program, depth: int) -> bool:
    if (dotted(node.func) or "get").rpartition(".")[2] in _TEXTS:
        return True
    if not isinstance(node.func, cst.Name | cst.Attribute):
        return False
    project = program.types.project
    for definition in project.modules.named(resolver, node.func):
        function = definition.binding.node
        if isinstance(function, cst.FunctionDef):
            given = definition.resolver.scopes.returned(function) or ()
            if any(
                one is not None and _may_be_text(one, definition.resolver, program, depth)
                for one in given
            ):
                return True
    return False

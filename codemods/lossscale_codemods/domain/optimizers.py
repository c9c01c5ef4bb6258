# SPDX-License-Identifier: Apache-2.0
"""The optimizers of a program: where it names them, and compiles models with them."""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain.object_types import ObjectType, Value
from lossscale_codemods.domain.occurrences import Occurrence, Role
from lossscale_codemods.domain.type_inference import compile_argument
from lossscale_codemods.domain.version_guards import find_guards
from lossscale_codemods.domain.what_is import looks_like_settings
from lossscale_codemods.python import BindingKind, ProjectClass, import_path, member_path
from lossscale_codemods.source.syntax_tree import dotted
from lossscale_codemods.tables import frameworks, optimizer_families
from lossscale_codemods.tables.names import Meaning, OldName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lossscale_codemods.domain.program import Program
    from lossscale_codemods.python import Resolver


_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


class OptimizerNames:
    """The names of Keras optimizers in one file.

    Args:
        program: The file.
        rule: The id of the rule that decides them.
    """

    def __init__(self, program: Program, rule: str) -> None:
        self.program = program
        self.tree = program.tree
        self.resolver = program.today
        self.rule = rule

    def classes(self) -> Iterator[Occurrence]:
        """Yields where classes are read from the module, by attributes or by `getattr`."""
        for node in self.program.scopes.scope_of_read:
            if isinstance(node, cst.Attribute) and node.attr.value in optimizer_families.CLASSES:
                yield from self._class(node, node.value)
        for node in self.tree.parents:
            if isinstance(node, cst.Call):
                yield from self._looked_up(node)
            elif isinstance(node, cst.SimpleString):
                yield from self._annotated(node)

    def _class(self, node: cst.CSTNode, module: cst.BaseExpression) -> Iterator[Occurrence]:
        paths = self.resolver.paths(module)
        homes = {p for p in paths if p is not None and optimizer_families.is_home(p)}
        chosen = any(p is not None and optimizer_families.is_chosen_module(p) for p in paths)
        if homes and not chosen and not self.is_left(node):
            span = self.tree.span(node)
            ambiguous = homes != paths
            yield Occurrence(node, span, Role.OPTIMIZER, ambiguous=ambiguous, rule=self.rule)

    def _looked_up(self, node: cst.Call) -> Iterator[Occurrence]:
        """Yields `getattr(tf.keras.optimizers, "Adam")`."""
        name = looked_up_name(node)
        if isinstance(name, cst.SimpleString) and isinstance(
            node.args[0].value, cst.Name | cst.Attribute | cst.Call
        ):
            text = name.evaluated_value
            if text in optimizer_families.CLASSES and not self.resolver.bindings(node.func):
                yield from self._class(node, node.args[0].value)

    def _annotated(self, node: cst.SimpleString) -> Iterator[Occurrence]:
        if not any(isinstance(above, cst.Annotation) for above in self.tree.ancestors(node)):
            return
        start = self.tree.span(node)[0]
        for match in _DOTTED.finditer(node.value, len(node.prefix) + 1):
            paths = self.resolver.string_paths(match.group(), node)
            if paths and all(p and optimizer_families.legacy_class(p) for p in paths):
                left = start + len(node.value[: match.start()].encode())
                span = (left, left + len(match.group().encode()))
                yield Occurrence(node, span, Role.OPTIMIZER, rule=self.rule)

    def imports(self) -> Iterator[Occurrence]:
        """Yields the imports of such classes."""
        for node in self.tree.parents:
            if not isinstance(node, cst.ImportFrom) or isinstance(node.names, cst.ImportStar):
                continue
            if not optimizer_families.is_home(import_path(node)):
                continue
            for alias in node.names:
                path = member_path(import_path(node), alias.evaluated_name)
                new = optimizer_families.legacy_class(path)
                if new is None or self._is_chosen(alias) or self.is_left(alias):
                    continue
                if self._is_beside_legacy(node, alias.evaluated_name):
                    continue
                old = OldName(path, Meaning.KERAS_OPTIMIZER, (new,))
                span = self.tree.span(alias)
                yield Occurrence(alias, span, Role.IMPORT, (old,), rule=self.rule)

    def _is_beside_legacy(self, node: cst.ImportFrom, name: str) -> bool:
        """Whether the same block imports the legacy class too, so that this is the other one."""
        block = self.tree.parent(self.tree.statement(node))
        return any(
            isinstance(small, cst.ImportFrom)
            and not isinstance(small.names, cst.ImportStar)
            and optimizer_families.is_chosen_module(import_path(small))
            and any(alias.evaluated_name == name for alias in small.names)
            for statement in getattr(block, "body", ())
            if isinstance(statement, cst.SimpleStatementLine)
            for small in statement.body
        )

    def _is_chosen(self, alias: cst.ImportAlias) -> bool:
        """Whether another import gives the name a class whose family is stated."""
        for binding in self.program.scopes.binding_at.get(alias, []):
            for other in binding.scope.bindings.get(binding.name, []):
                paths = self.resolver.binding_paths(other)
                if any(p is not None and optimizer_families.is_chosen(p) for p in paths):
                    return True
        return False

    def is_left(self, node: cst.CSTNode) -> bool:
        """Whether a node is in a branch for old versions, or beside one that says a family."""
        part = node
        for above in (node, *self.tree.ancestors(node)):
            beside = self._choosing.get(above)
            if above in self._branches or (beside is not None and part not in beside):
                return True
            part = above
        reachability = self.program.reachability
        return reachability.guard_of(node) is not None or reachability.is_only_for_the_past(node)

    @functools.cached_property
    def _choosing(self) -> dict[cst.CSTNode, set[cst.CSTNode]]:
        """The statements that state a family, with those of their parts that state it."""
        parts_of: dict[cst.CSTNode, set[cst.CSTNode]] = {}
        for node in self.program.scopes.scope_of_read:
            if not isinstance(node, cst.Attribute) or node.attr.value != "legacy":
                continue
            if any(p and optimizer_families.is_chosen_module(p) for p in self.resolver.paths(node)):
                part: cst.CSTNode = node
                for above in self.tree.ancestors(node):
                    if isinstance(above, cst.If | cst.IfExp | cst.Try) and part is not getattr(
                        above, "test", None
                    ):
                        parts_of.setdefault(above, set()).add(part)
                    part = above
        return parts_of

    @functools.cached_property
    def _branches(self) -> set[cst.CSTNode]:
        occurrences = [*self.program.references, *self.program.imports]
        return {part for guard in find_guards(self.program, occurrences) for part in guard.old}

    def stars(self) -> Iterator[Occurrence]:
        """Yields star imports of the module of both families."""
        for scope in self.program.scopes.of_node.values():
            chosen = [s for s in scope.stars if optimizer_families.is_chosen_module(s.path or "")]
            for star in scope.stars:
                if optimizer_families.is_home(star.path or "") and not chosen:
                    span = self.tree.span(star.node)
                    yield Occurrence(star.node, span, Role.OPTIMIZER, rule=self.rule)


def looked_up_name(node: cst.Call) -> cst.BaseExpression | None:
    """Returns the name that a call of `getattr` looks up, if it is one."""
    if dotted(node.func) != "getattr" or len(node.args) < 2 or any(a.star for a in node.args):
        return None
    return node.args[1].value


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

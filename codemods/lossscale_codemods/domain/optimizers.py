# SPDX-License-Identifier: Apache-2.0
"""The optimizers of a program: where it names them, and compiles models with them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from lossscale_codemods.domain.occurrences import Occurrence, Role
from lossscale_codemods.domain.program import Program
from lossscale_codemods.domain.type_inference import ObjectType, Value
from lossscale_codemods.domain.version_guards import is_for_old_versions
from lossscale_codemods.domain.what_is import looks_like_settings
from lossscale_codemods.python import BindingKind, ProjectClass, import_path, lookup_of, member_path
from lossscale_codemods.source.syntax_tree import argument_of, dotted
from lossscale_codemods.tables import frameworks, optimizer_families
from lossscale_codemods.tables.names import Meaning, OldName


class OptimizerNames:
    """The names of Keras optimizers in one file, for the rule that decides them."""

    def __init__(self, program: Program, rule: str) -> None:
        self.program = program
        self.tree = program.tree
        self.resolver = program.today
        self.rule = rule

    def classes(self) -> Iterator[Occurrence]:
        """Yields where classes are read from the module, by attributes or by `getattr`."""
        for node in self.program.scopes.scope_of_read:
            if isinstance(node, cst.Attribute) and node.attr.value in optimizer_families.CLASSES:
                yield from self._class(node, node.value, node.attr.value)
        for node in self.tree.nodes(cst.Call):
            found = lookup_of(node, self.resolver.scopes)
            is_read = found is not None and found.way == "getattr"
            if found is not None and is_read and found.name in optimizer_families.CLASSES:
                yield from self._class(node, found.owner, found.name)

    def _class(
        self, node: cst.CSTNode, module: cst.BaseExpression, name: str
    ) -> Iterator[Occurrence]:
        paths = self.resolver.paths(module)
        homes = {p for p in paths if p is not None and optimizer_families.is_home(p)}
        chosen = any(p is not None and optimizer_families.is_chosen_module(p) for p in paths)
        if homes and not chosen and not self.is_left(node):
            old = tuple(
                OldName(f"{home}.{name}", Meaning.KERAS_OPTIMIZER, (f"{home}.legacy.{name}",))
                for home in sorted(homes)
            )
            span = self.tree.span(node)
            yield Occurrence(
                node, span, Role.OPTIMIZER, old, ambiguous=homes != paths, rule=self.rule
            )

    def imports(self) -> Iterator[Occurrence]:
        """Yields the imports of such classes."""
        for node in self.tree.nodes(cst.ImportFrom):
            is_home = optimizer_families.is_home(import_path(node))
            if isinstance(node.names, cst.ImportStar) or not is_home:
                continue
            for alias in node.names:
                path = member_path(import_path(node), alias.evaluated_name)
                new = optimizer_families.legacy_class(path)
                is_stated = alias.evaluated_name in self._imported_of_one_family
                if new is None or is_stated or self.is_left(alias):
                    continue
                old = OldName(path, Meaning.KERAS_OPTIMIZER, (new,))
                span = self.tree.span(alias)
                yield Occurrence(alias, span, Role.IMPORT, (old,), rule=self.rule)

    @functools.cached_property
    def _imported_of_one_family(self) -> set[str]:
        """The classes that the file imports of a family that it states, beside the other one."""
        return {
            alias.evaluated_name
            for node in self.tree.nodes(cst.ImportFrom)
            if optimizer_families.is_chosen_module(import_path(node))
            and not isinstance(node.names, cst.ImportStar)
            for alias in node.names
        }

    def is_left(self, node: cst.CSTNode) -> bool:
        """Whether a node is in a branch for old versions, or beside one that says a family."""
        part = node
        for above in (node, *self.tree.ancestors(node)):
            beside = self._choosing.get(above)
            if beside is not None and part not in beside:
                return True
            part = above
        is_past = self.program.reachability.is_only_for_the_past(node)
        return is_past or is_for_old_versions(node, self.program)

    @functools.cached_property
    def _choosing(self) -> dict[cst.CSTNode, set[cst.CSTNode]]:
        """The statements that state a family, with those of their parts that state it."""
        parts_of: dict[cst.CSTNode, set[cst.CSTNode]] = {}
        for node in self.program.scopes.scope_of_read:
            if not isinstance(node, cst.Attribute) or node.attr.value != "legacy":
                continue
            if self.resolver.can_be(node, optimizer_families.is_chosen_module):
                part: cst.CSTNode = node
                for above in self.tree.ancestors(node):
                    if isinstance(above, cst.If | cst.IfExp | cst.Try) and part is not getattr(
                        above, "test", None
                    ):
                        parts_of.setdefault(above, set()).add(part)
                    part = above
        return parts_of

    def stars(self) -> Iterator[Occurrence]:
        """Yields star imports of the module of both families."""
        for scope in self.program.scopes.of_node.values():
            chosen = [s for s in scope.stars if optimizer_families.is_chosen_module(s.path or "")]
            for star in scope.stars:
                if optimizer_families.is_home(star.path or "") and not chosen:
                    span = self.tree.span(star.node)
                    yield Occurrence(star.node, span, Role.OPTIMIZER, rule=self.rule)


def is_handed_on(node: cst.BaseExpression, program: Program) -> bool:
    """Whether a module is used as a whole, so that it cannot be seen which members are taken."""
    above, call = program.tree.parent(node), program.tree.taker_of(node)
    if isinstance(above, cst.Attribute):
        return above.attr.value == "__dict__"
    if call is not None:
        found = lookup_of(call, program.scopes)
        is_seen = found is not None and found.way == "getattr" and found.name is not None
        return not is_seen and dotted(call.func) not in {"dir", "hasattr"}
    handed_on = cst.Arg | cst.Return | cst.Element | cst.DictElement | cst.Yield | cst.Param
    return isinstance(above, handed_on)


_TEXTS = frozenset(
    {"Choice", "format", "get", "getattr", "getenv", "input", "lower", "next", "pop", "str"}
    | {"strip", "upper"}
)
"""Functions that may give a string; of others that are not known, an optimizer is expected."""
_OF_MODELS = frozenset(
    {"loss", "loss_weights", "metrics", "run_eagerly", "sample_weight_mode", "weighted_metrics"}
)
"""What `compile` of a Keras model takes by keyword, besides the optimizer."""


@dataclasses.dataclass(frozen=True)
class Compile:
    """A call of `compile`.

    Attributes:
        call: The call.
        is_proven: Whether it surely compiles a model of tf-keras.
        is_likely: Whether it does, or reads like a call that compiles one.
        arguments: What it gets, without the model that `Model.compile(model, ...)` gets as well.
        optimizer: What it gets for the optimizer, if that can be seen.
        is_unpacked: Whether it may get one from what it unpacks.
    """

    call: cst.Call
    is_proven: bool
    is_likely: bool
    arguments: Sequence[cst.Arg]
    optimizer: cst.Arg | None
    is_unpacked: bool


def model_compiles(program: Program) -> Iterator[Compile]:
    """Returns the calls that compile a model, or may do so."""
    compiled = (model_compile(node, program) for node in program.tree.nodes(cst.Call))
    return (one for one in compiled if one is not None)


def model_compile(node: cst.CSTNode | None, program: Program) -> Compile | None:
    """Returns what a call compiles, if a node is a call that compiles a model or may do so."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None
    proven = _compiles_model(node.func, program)
    if proven is None:
        return None
    arguments = node.args[1:] if _gets_model(node, node.func, program) else node.args
    optimizer = argument_of(arguments, 0, "optimizer")
    unpacked = optimizer is None and any(argument.star for argument in node.args)
    likely = proven or _reads_like_model(arguments, optimizer, program)
    return Compile(node, proven, likely, arguments, optimizer, unpacked)


def _reads_like_model(
    arguments: Sequence[cst.Arg], optimizer: cst.Arg | None, program: Program
) -> bool:
    """Whether a call of `compile` has arguments that a model takes."""
    keywords = {argument.keyword.value for argument in arguments if argument.keyword is not None}
    if optimizer is None:
        return "loss" in keywords
    value = optimizer.value
    if isinstance(value, cst.Attribute | cst.Subscript) and looks_like_settings(value.value):
        return True
    kinds = program.types.of(value)
    is_optimizer = isinstance(value, cst.SimpleString) or kinds & {
        ObjectType.OTHER,
        ObjectType.KERAS,
    }
    return bool(is_optimizer or keywords & _OF_MODELS)


def kept_compiles(program: Program) -> Iterator[cst.Attribute]:
    """Yields reads of `compile` that is not called at once, of what is or may be a model."""
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
    return program.resolver.is_only(func.value, frameworks.is_new_keras_model)


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
        inside = program.tree.around(func, cst.ClassDef)
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
    """Whether an expression, of which nothing else is known, may be a string."""
    if isinstance(node, cst.Call):
        functions = program.types.project.modules.named(program.resolver, node.func)
        returned = [
            one
            for definition in functions
            if isinstance(function := definition.binding.node, cst.FunctionDef)
            for one in definition.resolver.scopes.returned(function) or ()
        ]
        return _reads_text(node) or any(one is not None and _reads_text(one) for one in returned)
    if isinstance(node, cst.Name):
        return any(
            one is None or isinstance(one, cst.Name) or may_be_text(one, program)
            for one in program.resolver.values(node)
        )
    return _reads_text(node)


def _reads_text(node: cst.BaseExpression) -> bool:
    """Whether an expression reads something that can be a string, such as a setting."""
    if isinstance(node, cst.Call):
        return (dotted(node.func) or "get").rpartition(".")[2] in _TEXTS
    settings = cst.Attribute | cst.Subscript | cst.IfExp | cst.BooleanOperation | cst.SimpleString
    return isinstance(node, settings)

# SPDX-License-Identifier: Apache-2.0
"""The kinds of object that type inference tells apart, and which of them calls give."""

from __future__ import annotations

import abc
import enum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import libcst as cst

from lossscale_codemods.python import (
    Answers,
    Binding,
    BindingKind,
    ClassMembers,
    Definition,
    Modules,
    ProjectClass,
    decorators,
)
from lossscale_codemods.source.syntax_tree import dotted
from lossscale_codemods.tables import frameworks, names
from lossscale_codemods.tables.names import Meaning, canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from lossscale_codemods.python import Resolver


class ObjectType(enum.Enum):
    """What kind of object an expression can hold."""

    WRAPPER = "Keras loss-scale optimizer"
    V1_WRAPPER = "v1 loss-scale optimizer"
    KERAS = "Keras optimizer"
    V1 = "v1 optimizer"
    POLICY = "policy"
    MODEL = "Keras model"
    LOSS_SCALE = "loss scale object"
    NOTHING = "None"
    OTHER = "something else"
    UNKNOWN = "unknown"


class Value(NamedTuple):
    """One object that an expression can hold.

    Attributes:
        kind: What kind of object it is.
        made_by: The call that makes it, where that is known.
        resolver: Knows the file that the call is in.
        instance_of: The project's class that it is an instance of, if it is one.
    """

    kind: ObjectType
    made_by: cst.Call | None = None
    resolver: Resolver | None = None
    instance_of: ProjectClass | None = None

    @property
    def path(self) -> Path | None:
        """The file that the call is in, if it is one of the project's."""
        project = self.resolver.project if self.resolver is not None else None
        return None if project is None else project.path


_V1 = frozenset({ObjectType.V1, ObjectType.V1_WRAPPER})

Values = frozenset[Value]
UNKNOWN: Values = frozenset([Value(ObjectType.UNKNOWN)])
NOTHING: Values = frozenset([Value(ObjectType.NOTHING)])
OTHER: Values = frozenset([Value(ObjectType.OTHER)])

_TYPES = {
    Meaning.OPTIMIZER: ObjectType.WRAPPER,
    Meaning.POLICY: ObjectType.POLICY,
    Meaning.GLOBAL_POLICY: ObjectType.POLICY,
    Meaning.LAYER_POLICY: ObjectType.POLICY,
    Meaning.FIXED: ObjectType.LOSS_SCALE,
    Meaning.DYNAMIC: ObjectType.LOSS_SCALE,
    Meaning.LOSS_SCALE: ObjectType.LOSS_SCALE,
    Meaning.V1_OPTIMIZER: ObjectType.V1_WRAPPER,
}
_POLICIES = ("keras.mixed_precision.Policy", "keras.mixed_precision.global_policy")


def type_at(path: str) -> ObjectType:
    """Returns what kind of object a framework's class or function at a dotted path makes."""
    old = names.lookup(path)
    if old is not None:
        return _TYPES.get(old.meaning, ObjectType.UNKNOWN)
    if frameworks.is_new_optimizer(path):
        return ObjectType.WRAPPER
    if frameworks.is_keras_optimizer(path):
        return ObjectType.KERAS
    if frameworks.is_v1_optimizer(path):
        return ObjectType.V1
    if canonical(path) == names.V1_OPTIMIZER_TODAY:
        return ObjectType.V1_WRAPPER
    if canonical(path).endswith(_POLICIES):
        return ObjectType.POLICY
    if frameworks.is_keras_model(path):
        return ObjectType.OTHER if frameworks.is_keras_3(path) else ObjectType.MODEL
    return ObjectType.UNKNOWN


def union(values: Iterable[Values]) -> Values:
    """Returns the values of all ways that lead to an expression; unknown if there is no way.

    A way that leads back to the expression itself has none.
    """
    ways = list(values)
    return frozenset().union(*ways) if ways else UNKNOWN


OPTIMIZERS = {ObjectType.KERAS, ObjectType.V1}
"""What loss-scale optimizers and Horovod's optimizers can wrap."""
_WRAPPED = {ObjectType.KERAS: ObjectType.WRAPPER, ObjectType.V1: ObjectType.V1_WRAPPER}


def wrapped_by(
    path: str, node: cst.Call, resolver: Resolver, values: Callable[[cst.CSTNode], Values]
) -> Values | None:
    """Returns what a function makes that wraps its argument, if a path names one.

    Args:
        path: The path of the function.
        node: The call.
        resolver: Knows the file of the call.
        values: Tells which objects an expression of the file can hold.
    """
    old = names.lookup(path)
    rewrite = old is not None and old.meaning is Meaning.REWRITE
    if rewrite or frameworks.is_rewrite_of_today(path):
        return frozenset(
            Value(_WRAPPED.get(value.kind, value.kind), node, resolver)
            for value in _first_argument(node, values)
        )
    if frameworks.is_horovod_wrapper(path):
        return frozenset(
            value if value.kind in OPTIMIZERS else Value(ObjectType.UNKNOWN)
            for value in _first_argument(node, values)
        )
    return None


def _first_argument(node: cst.Call, values: Callable[[cst.CSTNode], Values]) -> Values:
    return (values(node.args[0].value) if node.args else UNKNOWN) or UNKNOWN


def optimizer_argument(call: cst.Call) -> cst.Arg | None:
    """Returns the argument of a loss-scale optimizer's constructor that is the inner optimizer."""
    for index, argument in enumerate(call.args):
        if argument.star:
            return None
        if argument.keyword is None:
            if index == 0:
                return argument
        elif argument.keyword.value in {"opt", "optimizer", "inner_optimizer"}:
            return argument
    return None


Find: TypeAlias = "Callable[[cst.CSTNode], Values]"
"""Finds the objects that an expression can hold."""
PROPERTIES = frozenset({"property", "functools.cached_property", "cached_property"})
_KEEPING_THE_RESULT = PROPERTIES | {"staticmethod", "classmethod"}
_BASES = {*OPTIMIZERS, ObjectType.MODEL, ObjectType.V1_WRAPPER}
"""What classes of a project inherit from."""
_OF_ARGPARSE = frozenset({"parse_args", "parse_known_args"})
"""Methods that give settings, which programs call `opt` as well as `args`."""


class ProjectAnswers:
    """What is shared by the answers for the files of a project.

    Args:
        resolver: Knows the file that is migrated.
        answer_for: Makes the answers for one more file.
    """

    def __init__(
        self, resolver: Resolver, answer_for: Callable[[Resolver, ProjectAnswers], CallResults]
    ) -> None:
        self.modules = Modules(resolver)
        self.members = ClassMembers(self.modules)
        self.answers: Answers[tuple[Find, cst.CSTNode], Value]
        self.answers = Answers(lambda asked: asked[0](asked[1]))
        self._answer_for = answer_for
        self._files: dict[Resolver, CallResults] = {}

    def add(self, answers: CallResults) -> None:
        """Adds the answers for a file."""
        self._files[answers.resolver] = answers

    def file(self, resolver: Resolver) -> CallResults:
        """Returns the answers for a file."""
        if resolver not in self._files:
            self._files[resolver] = self._answer_for(resolver, self)
        return self._files[resolver]


class CallResults(abc.ABC):
    """Answers for the calls of one file.

    Args:
        resolver: Knows what its names stand for.
        project: What is shared with the project's other files.
    """

    def __init__(self, resolver: Resolver, project: ProjectAnswers) -> None:
        self.resolver = resolver
        self.scopes = resolver.scopes
        self.project = project
        project.add(self)

    def type_at(self, path: str) -> ObjectType:
        """Returns what kind of object a framework's class or function at a path makes."""
        return type_at(path)

    @abc.abstractmethod
    def values(self, node: cst.CSTNode) -> Values:
        """Returns the objects that an expression can hold."""

    @abc.abstractmethod
    def is_wrapper(self, node: cst.CSTNode) -> bool:
        """Whether an expression is proven to be a Keras loss-scale optimizer."""

    @abc.abstractmethod
    def of_binding(self, binding: Binding) -> Values:
        """Returns the objects that a binding of this file can give its name."""

    def ask(self, find: Find, node: cst.CSTNode) -> Values:
        """Returns an answer that may depend on itself."""
        return self.project.answers.of((find, node))

    def of_call(self, node: cst.Call) -> Values:
        """Returns the objects that a call can give."""
        results: set[Value] = set()
        rest = False
        for path in self.resolver.paths(node.func) or {None}:
            wrapped = (
                wrapped_by(path, node, self.resolver, self.values) if path is not None else None
            )
            if wrapped is not None:
                results |= wrapped
            else:
                rest = True
        if rest:
            for value in self.called(node.func):
                anonymous = value.made_by is None and value.kind is not ObjectType.NOTHING
                results.add(
                    value._replace(made_by=node, resolver=self.resolver) if anonymous else value
                )
        return frozenset(results)

    def called(self, func: cst.CSTNode) -> Values:
        """Returns the objects that calling an expression can give."""
        return self.ask(self._find_called, func)

    def _find_called(self, func: cst.CSTNode) -> Values:
        if isinstance(func, cst.Name | cst.Attribute):
            return self._named_called(func)
        if isinstance(func, cst.IfExp):
            return self.called(func.body) | self.called(func.orelse)
        if isinstance(func, cst.BooleanOperation):
            return self.called(func.left) | self.called(func.right)
        if isinstance(func, cst.Lambda):
            return self.values(func.body)
        if isinstance(func, cst.Call):
            path = self.resolver.path(func.func)
            if path == "functools.partial" and func.args:
                return self.called(func.args[0].value)
            if dotted(func.func) == "getattr" and len(func.args) == 2:
                return self._attribute_called(func)
        return UNKNOWN

    def members_of_returned(self, node: cst.CSTNode) -> frozenset[str]:
        """Returns the paths of a member of a framework's module that a project's function gives.

        `contrib.tpu().CrossShardOptimizer` is one, if `tpu` imports the module and returns it.

        Args:
            node: The member.

        Returns:
            All paths that it can have; none if one of them is not known.
        """
        if not isinstance(node, cst.Attribute) or not isinstance(node.value, cst.Call):
            return frozenset()
        function_name = node.value.func
        if not isinstance(function_name, cst.Name | cst.Attribute):
            return frozenset()
        members: set[str] = set()
        for definition in self.project.modules.named(self.resolver, function_name):
            function, resolver = definition.binding.node, definition.resolver
            if not isinstance(function, cst.FunctionDef) or function.decorators:
                return frozenset()
            for given in resolver.scopes.returned(function) or [None]:
                for path in (resolver.paths(given) if given is not None else ()) or {None}:
                    if path is None or not frameworks.is_framework(path):
                        return frozenset()
                    members.add(f"{path}.{node.attr.value}")
        return frozenset(members)

    def _named_called(self, func: cst.Name | cst.Attribute) -> Values:
        if isinstance(func, cst.Attribute) and func.attr.value in _OF_ARGPARSE:
            return OTHER
        results: set[Value] = set()
        behind = self.members_of_returned(func)
        if behind:
            return union(self._path_called(path) for path in behind)
        for path in self.resolver.paths(func) or {None}:
            if path is None:
                results |= union(self._definition_called(d) for d in self._own_definitions(func))
            else:
                results |= self._path_called(path)
        return frozenset(results)

    def _path_called(self, path: str) -> Values:
        kind = self.type_at(path)
        if kind is not ObjectType.UNKNOWN or frameworks.is_framework(path):
            return frozenset([Value(kind)])
        definitions = self.project.modules.definitions(self.resolver, path)
        return union(self._definition_called(one) for one in definitions)

    def _definition_called(self, definition: Definition) -> Values:
        if definition.resolver is not self.resolver and self.project.members.is_replaced(
            definition
        ):
            return UNKNOWN
        return self.project.file(definition.resolver).binding_called(definition.binding)

    def _own_definitions(self, func: cst.Name | cst.Attribute) -> list[Definition]:
        """Returns what a name can be that stands for no imported path."""
        bindings = self.scopes.reaching.get(func)
        if bindings:
            return [
                Definition(self.resolver, b)
                for b in bindings
                if None in self.resolver.binding_paths(b)
            ]
        if isinstance(func, cst.Name):
            return self.project.modules.named(self.resolver, func)
        return self._methods(func)

    def _attribute_called(self, node: cst.Call) -> Values:
        """Returns what `getattr(tf.keras.optimizers, name)(...)` can give."""
        path = self.resolver.path(node.args[0].value)
        all_optimizers = path is not None and frameworks.is_keras_optimizer(f"{path}.Adam")
        return frozenset([Value(ObjectType.KERAS)]) if all_optimizers else UNKNOWN

    def _methods(self, func: cst.Attribute) -> list[Definition]:
        """Returns the methods that an attribute of an instance or of a class can be."""
        name = func.attr.value
        members = self.project.members
        scope = self.resolver.class_of(func.value)
        if scope is not None:
            owner = ProjectClass(self.resolver, scope)
            below = members.overridden(owner, name)
            above = self._method_of(owner, name)
            return [] if below is None or not above else [*above, *below]
        classes: list[ProjectClass | None]
        classes = [*self.project.modules.classes(self.resolver, func.value)]
        classes = classes or [value.instance_of for value in self.values(func.value)]
        found_in = [self._method_of(one, name) if one is not None else [] for one in classes]
        return [one for methods in found_in for one in methods] if all(found_in) else []

    def _method_of(self, owner: ProjectClass, name: str) -> list[Definition]:
        """Returns what a method of a class can be; none if something may be put in its place."""
        definitions = self.project.members.method(owner, name)
        replaced = definitions and self.project.members.may_be_assigned_elsewhere(name, owner)
        return [] if replaced else definitions

    def binding_called(self, binding: Binding) -> Values:
        """Returns what calling a name can give that has the value of a binding of this file."""
        if isinstance(binding.node, cst.FunctionDef):
            if not decorators(binding.node) <= _KEEPING_THE_RESULT:
                return UNKNOWN
            return self.ask(self._find_returned, binding.node)
        if isinstance(binding.node, cst.ClassDef):
            return self.instance(ProjectClass(self.resolver, self.scopes.of_node[binding.node]))
        if binding.kind is BindingKind.ASSIGN and binding.value is not None:
            return self.called(binding.value)
        if binding.kind is BindingKind.IMPORT:
            paths = self.resolver.binding_paths(binding)
            return union(self._path_called(path) for path in paths if path is not None)
        return UNKNOWN

    def instance(self, owner: ProjectClass) -> Values:
        """Returns an instance of a class of the project."""
        kinds = {
            self.type_at(path) if path is not None else ObjectType.UNKNOWN
            for one in self.project.members.line(owner)
            for base in one.node.bases
            for path in one.resolver.paths(base.value)
        } - {ObjectType.UNKNOWN}
        kind = kinds.pop() if len(kinds) == 1 and kinds <= _BASES else ObjectType.UNKNOWN
        special = "__new__" in owner.scope.bindings
        return UNKNOWN if special else frozenset([Value(kind, instance_of=owner)])

    def _find_returned(self, function: cst.CSTNode) -> Values:
        assert isinstance(function, cst.FunctionDef)
        returned = self.scopes.returned(function)
        if returned is None:
            return UNKNOWN
        if not returned:
            return NOTHING
        return union(NOTHING if node is None else self.values(node) for node in returned)

    def part_of_call(self, node: cst.BaseExpression, place: int, size: int) -> Values:
        """Returns an element of the tuple that a call gives: `model, optimizer = build()`.

        Args:
            node: The call, or any other expression.
            place: Which element.
            size: How many there are.
        """
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Name | cst.Attribute):
            return UNKNOWN
        own = None in self.resolver.paths(node.func)
        definitions = (
            self._own_definitions(node.func)
            if own
            else self.project.modules.named(self.resolver, node.func)
        )
        parts: set[Value] = set()
        for definition in definitions:
            function = definition.binding.node
            if not isinstance(function, cst.FunctionDef) or not (
                decorators(function) <= _KEEPING_THE_RESULT
            ):
                return UNKNOWN
            other = self.project.file(definition.resolver)
            for given in definition.resolver.scopes.returned(function) or [None]:
                if (
                    not isinstance(given, cst.Tuple)
                    or len(given.elements) != size
                    or any(isinstance(e, cst.StarredElement) for e in given.elements)
                ):
                    return UNKNOWN
                parts |= other.values(given.elements[place].value)
        return frozenset(parts) or UNKNOWN

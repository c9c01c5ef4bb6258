# SPDX-License-Identifier: Apache-2.0
"""Which kinds of object an expression can hold: an optimizer, a loss-scale optimizer, a policy.

Names lead from file to file of a project: to functions and what they return, to classes and what
their methods assign to attributes, and to variables of modules. What calls give to parameters, and
what is in containers, is not followed. A file is parsed when something is asked of it. Where one
way leads to something that is not known, unknown is among the answers.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar, NamedTuple, TypeAlias

import libcst as cst

from lossscale_codemods.python import (
    Binding,
    BindingKind,
    ClassMembers,
    Definition,
    Modules,
    ProjectClass,
    Resolver,
    Scope,
    decorators,
)
from lossscale_codemods.source.syntax_tree import argument_of, dotted, instance_of, is_none
from lossscale_codemods.tables import frameworks, names
from lossscale_codemods.tables.names import Meaning, canonical


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


_V1 = frozenset({ObjectType.V1, ObjectType.V1_WRAPPER})

Values = frozenset[Value]
UNKNOWN: Values = frozenset([Value(ObjectType.UNKNOWN)])
NOTHING: Values = frozenset([Value(ObjectType.NOTHING)])
OTHER: Values = frozenset([Value(ObjectType.OTHER)])

_TYPES = {
    Meaning.OPTIMIZER: ObjectType.WRAPPER, Meaning.POLICY: ObjectType.POLICY,
    Meaning.GLOBAL_POLICY: ObjectType.POLICY, Meaning.LAYER_POLICY: ObjectType.POLICY,
    Meaning.FIXED: ObjectType.LOSS_SCALE, Meaning.DYNAMIC: ObjectType.LOSS_SCALE,
    Meaning.LOSS_SCALE: ObjectType.LOSS_SCALE, Meaning.V1_OPTIMIZER: ObjectType.V1_WRAPPER,
}  # fmt: skip
_POLICIES = ("keras.mixed_precision.Policy", "keras.mixed_precision.global_policy")


def union(values: Iterable[Values]) -> Values:
    """Returns the values of all ways that lead to an expression; unknown if there is no way."""
    ways = list(values)
    return frozenset().union(*ways) if ways else UNKNOWN


def optimizer_argument(call: cst.Call) -> cst.Arg | None:
    """Returns the argument of a loss-scale optimizer's constructor that is the inner optimizer."""
    return argument_of(call.args, 0, "opt", "optimizer", "inner_optimizer")


Find: TypeAlias = "Callable[[cst.CSTNode], Values]"
"""Finds the objects that an expression can hold."""
_PROPERTIES = frozenset({"property", "functools.cached_property", "cached_property"})
_KEEPING_THE_RESULT = _PROPERTIES | {"staticmethod", "classmethod"}
_OPTIMIZERS = {ObjectType.KERAS, ObjectType.V1}
"""What loss-scale optimizers and Horovod's optimizers can wrap."""
_BASES = {*_OPTIMIZERS, ObjectType.MODEL, ObjectType.V1_WRAPPER}
"""What classes of a project inherit from."""
_WRAPPED = {ObjectType.KERAS: ObjectType.WRAPPER, ObjectType.V1: ObjectType.V1_WRAPPER}
_OF_ARGPARSE = frozenset({"parse_args", "parse_known_args"})
"""Methods that give settings, which programs call `opt` as well as `args`."""
_WRAPPED_BY_KERAS = frozenset({"inner_optimizer", "_optimizer"})


class ProjectAnswers:
    """What is shared by the answers for the files of a project; `answer_for` makes those of one."""

    def __init__(
        self, resolver: Resolver, answer_for: Callable[[Resolver, ProjectAnswers], TypeInference]
    ) -> None:
        self.modules = Modules(resolver)
        self.members = ClassMembers(self.modules)
        self.answers: dict[tuple[Find, cst.CSTNode], Values] = {}
        self._answer_for = answer_for
        self._files: dict[Resolver, TypeInference] = {}

    def add(self, answers: TypeInference) -> None:
        """Adds the answers for a file."""
        self._files[answers.resolver] = answers

    def file(self, resolver: Resolver) -> TypeInference:
        """Returns the answers for a file."""
        if resolver not in self._files:
            self._files[resolver] = self._answer_for(resolver, self)
        return self._files[resolver]


class TypeInference:
    """Answers for the expressions of one file."""

    optimizers_of_models: ClassVar[Values] = frozenset(
        [Value(ObjectType.KERAS), Value(ObjectType.WRAPPER)]
    )
    """What `model.optimizer` can be: `compile` wraps it under a mixed_float16 policy."""

    def __init__(self, resolver: Resolver, project: ProjectAnswers | None = None) -> None:
        self.resolver = resolver
        self.scopes = resolver.scopes
        self.project = project or ProjectAnswers(resolver, type(self))
        self.project.add(self)

    def of(self, node: cst.CSTNode) -> frozenset[ObjectType]:
        """Returns the kinds of object that an expression can hold."""
        return frozenset(value.kind for value in self.values(node))

    def values(self, node: cst.CSTNode) -> Values:
        """Returns the objects that an expression can hold, each with the call that makes it.

        That call can be in another file of the project.
        """
        try:
            return self.ask(self._find, node) or UNKNOWN
        except RecursionError:
            return UNKNOWN

    def is_wrapper(self, node: cst.CSTNode) -> bool:
        """Whether an expression is proven to be a Keras loss-scale optimizer.

        It may also be `None` or an optimizer on other ways through the program: there, what old
        code does with a loss-scale optimizer raised an error before and does so after.
        """
        return self._is_proven(node, ObjectType.WRAPPER)

    def is_policy(self, node: cst.CSTNode) -> bool:
        """Whether an expression is proven to be a policy."""
        return self._is_proven(node, ObjectType.POLICY)

    def _is_proven(self, node: cst.CSTNode, kind: ObjectType) -> bool:
        kinds = self.of(node)
        return kind in kinds and kinds <= {
            kind,
            ObjectType.NOTHING,
            ObjectType.KERAS,
            ObjectType.V1,
            ObjectType.OTHER,
        }

    def _find(self, node: cst.CSTNode) -> Values:
        if is_none(node):
            return NOTHING
        if isinstance(node, cst.Name):
            bindings = self.resolver.bindings(node)
            if bindings:
                return union(self.of_binding(b) for b in bindings)
            return self.of_definitions(self.project.modules.named(self.resolver, node))
        if isinstance(node, cst.Attribute):
            return self._of_attribute(node)
        if isinstance(node, cst.IfExp):
            return self.values(node.body) | self.values(node.orelse)
        if isinstance(node, cst.BooleanOperation):
            return self.values(node.left) | self.values(node.right)
        if isinstance(node, cst.Call):
            return self.of_call(node)
        if isinstance(node, cst.BaseNumber | cst.BaseString | cst.List | cst.Dict | cst.Tuple):
            return OTHER
        return UNKNOWN

    def _of_attribute(self, node: cst.Attribute) -> Values:
        name = node.attr.value
        reaching = self.scopes.reaching.get(node)
        if reaching:
            return union(self.of_binding(b) for b in reaching)
        if name == "__class__":
            return UNKNOWN  # A class, which no subclass or other file assigns.
        owner = self.resolver.class_of(node.value)
        if owner is not None:
            member = self._of_member(ProjectClass(self.resolver, owner), name, below=True)
            if member is not None:
                return member
        of_keras = self._of_keras(name, node.value, owner)
        if of_keras is not None:
            return of_keras
        definitions = self.project.modules.named(self.resolver, node)
        if definitions:
            return self.of_definitions(definitions)
        classes = [value.instance_of for value in self.values(node.value)]
        members = [self._of_member(c, name, below=False) if c else None for c in classes]
        return union(UNKNOWN if values is None else values for values in members)

    def _of_keras(self, name: str, node: cst.BaseExpression, scope: Scope | None) -> Values | None:
        """Returns what an attribute holds that objects of Keras have, if it is one."""
        if name in {"dtype_policy", "_dtype_policy"}:
            return frozenset([Value(ObjectType.POLICY)])
        if name not in {"optimizer", "model", *_WRAPPED_BY_KERAS}:
            return None
        own = ProjectClass(self.resolver, scope) if scope is not None else None
        kinds = {value.kind for value in (self.instance(own) if own else self.values(node))}
        if name == "optimizer" and ObjectType.MODEL in kinds:
            return self.optimizers_of_models
        if name in _WRAPPED_BY_KERAS and ObjectType.WRAPPER in kinds:
            return frozenset([Value(ObjectType.KERAS)])
        is_callback = own is not None and any(
            frameworks.is_framework(path) and ".callbacks." in path for path in self.bases(own)
        )
        return frozenset([Value(ObjectType.MODEL)]) if name == "model" and is_callback else None

    def _of_member(self, owner: ProjectClass, name: str, *, below: bool) -> Values | None:
        """Returns what an attribute of an instance can hold; nothing if nothing assigns it.

        Args:
            owner: The class.
            name: The attribute.
            below: Whether it can be an instance of a subclass.
        """
        members = self.project.members
        definitions = members.attributes(owner, name)
        if not definitions:
            return None
        if (below and members.has_subclasses(owner)) or members.may_be_assigned_elsewhere(
            name, owner
        ):
            return UNKNOWN
        return union(self.project.file(d.resolver).of_binding(d.binding) for d in definitions)

    def of_binding(self, binding: Binding) -> Values:
        """Returns the objects that a binding of this file can give its name."""
        values = self._bound(binding)
        if any(v.kind is ObjectType.UNKNOWN for v in values) and binding in self._wrapped:
            # Only an optimizer can be wrapped, so that is what it holds.
            known = {v for v in values if v.kind is not ObjectType.UNKNOWN}
            return frozenset([*known, Value(ObjectType.KERAS)])
        return values

    def _bound(self, binding: Binding) -> Values:
        if binding.kind is BindingKind.ASSIGN and binding.value is not None:
            return self.values(binding.value)
        if binding.kind is BindingKind.IMPORT:
            modules = self.project.modules
            return union(
                self.of_definitions(modules.definitions(self.resolver, path or ""))
                for path in self.resolver.binding_paths(binding)
            )
        if isinstance(binding.node, cst.FunctionDef):
            is_property = bool(decorators(binding.node) & _PROPERTIES)
            return self.binding_called(binding) if is_property else UNKNOWN
        if binding.kind is BindingKind.OTHER:
            return self._unpacked(binding)
        return self._of_class(binding.value) if binding.value is not None else UNKNOWN

    def _unpacked(self, binding: Binding) -> Values:
        """Returns what a name gets of a call's result: `model, optimizer = build()`."""
        match self.scopes.unpacked(binding):
            case cst.Call(func=cst.Name() | cst.Attribute() as func), place, size:
                is_own = None in self.resolver.paths(func)
            case _:
                return UNKNOWN
        named = self.project.modules.named
        parts: set[Value] = set()
        for one in self._own_definitions(func) if is_own else named(self.resolver, func):
            function, returned = one.binding.node, None
            if isinstance(function, cst.FunctionDef):
                is_plain = decorators(function) <= _KEEPING_THE_RESULT
                returned = one.resolver.scopes.returned(function) if is_plain else None
            for given in returned or [None]:
                elements = given.elements if isinstance(given, cst.Tuple) else ()
                is_starred = any(isinstance(e, cst.StarredElement) for e in elements)
                if is_starred or len(elements) != size:
                    return UNKNOWN
                parts |= self.project.file(one.resolver).values(elements[place].value)
        return frozenset(parts) or UNKNOWN

    def _of_class(self, node: cst.BaseExpression) -> Values:
        """Returns the instances of a class, or of a tuple of classes."""
        if isinstance(node, cst.Tuple):
            return union(self._of_class(e.value) for e in node.elements)
        classes = self.project.modules.classes(self.resolver, node)
        if classes:
            kinds = {v.kind for c in classes for v in self.instance(c)}
            return frozenset(Value(kind) for kind in kinds)
        return self._of_paths(self.resolver.paths(node))

    def _of_paths(self, paths: frozenset[str | None]) -> Values:
        """Returns the objects that the classes at some paths make."""
        return frozenset(
            Value(self.type_at(path) if path is not None else ObjectType.UNKNOWN) for path in paths
        )

    def of_definitions(self, definitions: list[Definition]) -> Values:
        """Returns what variables of the project's modules can hold."""
        if any(self.project.members.is_replaced(one) for one in definitions):
            return UNKNOWN
        return union(self.project.file(d.resolver).of_binding(d.binding) for d in definitions)

    @functools.cached_property
    def _wrapped(self) -> set[Binding]:
        """The bindings whose value is somewhere given to a loss-scale optimizer to wrap."""
        wrapped: set[Binding] = set()
        for node in self.scopes.tree.nodes(cst.Call):
            inner = optimizer_argument(node)
            if (
                inner is not None
                and isinstance(inner.value, cst.Name | cst.Attribute)
                and Value(ObjectType.WRAPPER) in self._of_paths(self.resolver.paths(node.func))
            ):
                wrapped |= self.resolver.bindings(inner.value)
        return wrapped

    def type_at(self, path: str) -> ObjectType:
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

    def ask(self, find: Find, node: cst.CSTNode) -> Values:
        """Returns an answer; what depends on itself can be anything."""
        answers, asked = self.project.answers, (find, node)
        if asked not in answers:
            answers[asked] = UNKNOWN
            answers[asked] = find(node)
        return answers[asked]

    def of_call(self, node: cst.Call) -> Values:
        """Returns the objects that a call can give."""
        results: set[Value] = set()
        rest = False
        for path in self.resolver.paths(node.func) or {None}:
            wrapped = self._wrapped_by(path, node) if path is not None else None
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

    def _wrapped_by(self, path: str, node: cst.Call) -> Values | None:
        """Returns what the function at a path makes that wraps its argument, if it is such one."""
        given = (self.values(node.args[0].value) if node.args else UNKNOWN) or UNKNOWN
        old = names.lookup(path)
        is_rewrite = old is not None and old.meaning is Meaning.REWRITE
        if is_rewrite or frameworks.is_rewrite_of_today(path):
            kinds = [_WRAPPED.get(value.kind, value.kind) for value in given]
            return frozenset(Value(kind, node, self.resolver) for kind in kinds)
        if frameworks.is_horovod_wrapper(path):
            return frozenset(
                v if v.kind in _OPTIMIZERS else Value(ObjectType.UNKNOWN) for v in given
            )
        return None

    def called(self, func: cst.CSTNode) -> Values:
        """Returns the objects that calling an expression can give."""
        return self.ask(self._find_called, func)

    def _find_called(self, func: cst.CSTNode) -> Values:
        if isinstance(func, cst.Name | cst.Attribute):
            return self._named_called(func)
        if isinstance(func, cst.Call) and dotted(func.func) == "getattr" and len(func.args) == 2:
            return self._attribute_called(func)
        return self.values(func.body) if isinstance(func, cst.Lambda) else UNKNOWN

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
        match func:
            case cst.Attribute(attr=cst.Name(name)) if name in _OF_ARGPARSE:
                return OTHER
            case cst.Attribute(value=cls, attr=cst.Name("from_config")) if one := instance_of(cls):
                return self.values(one)
        return union(
            self._path_called(path)
            if path is not None
            else union(self._definition_called(d) for d in self._own_definitions(func))
            for path in self.members_of_returned(func) or self.resolver.paths(func) or {None}
        )

    def _path_called(self, path: str) -> Values:
        kind = self.type_at(path)
        if kind is not ObjectType.UNKNOWN or frameworks.is_framework(path):
            return frozenset([Value(kind)])
        definitions = self.project.modules.definitions(self.resolver, path)
        return union(self._definition_called(one) for one in definitions)

    def _definition_called(self, definition: Definition) -> Values:
        is_others = definition.resolver is not self.resolver
        if is_others and self.project.members.is_replaced(definition):
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
            return [] if members.has_subclasses(owner) else self._method_of(owner, name)
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

    def bases(self, owner: ProjectClass) -> Iterator[str]:
        """Yields the paths that the bases of a class can have, and those of their bases."""
        for one in self.project.members.line(owner):
            for base in one.node.bases:
                yield from (p for p in one.resolver.paths(base.value) if p is not None)

    def instance(self, owner: ProjectClass) -> Values:
        """Returns an instance of a class of the project."""
        kinds = {self.type_at(path) for path in self.bases(owner)} - {ObjectType.UNKNOWN}
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


class Keras3Types(TypeInference):
    """Type inference where `tf.keras` is Keras 3: its models are models, by either name."""

    def type_at(self, path: str) -> ObjectType:
        """Returns what kind of object a framework's class or function at a path makes."""
        return super().type_at(f"tensorflow.{path}" if frameworks.is_keras_3(path) else path)


class OldTypes(TypeInference):
    """Type inference that takes only the optimizers of the old class for loss-scale optimizers.

    The `loss_scale` of the class that stayed is a tensor: nothing that is kept of it is live.
    """

    optimizers_of_models = UNKNOWN

    def type_at(self, path: str) -> ObjectType:
        """Returns what kind of object a framework's class or function at a path makes."""
        return ObjectType.OTHER if frameworks.is_new_optimizer(path) else super().type_at(path)

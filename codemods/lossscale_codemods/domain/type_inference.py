# SPDX-License-Identifier: Apache-2.0
"""Which kinds of object an expression can hold: an optimizer, a loss-scale optimizer, a policy.

Names lead from file to file of a project: to functions and what they return, to classes and what
their methods assign to attributes, and to variables of modules. What calls give to parameters, and
what is in containers, is not followed. A file is parsed when something is asked of it. Where one
way leads to something that is not known, unknown is among the answers.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain.object_types import (
    NOTHING,
    OTHER,
    PROPERTIES,
    UNKNOWN,
    CallResults,
    ObjectType,
    ProjectAnswers,
    Value,
    Values,
    optimizer_argument,
    union,
)
from lossscale_codemods.python import (
    Binding,
    BindingKind,
    Definition,
    ProjectClass,
    Resolver,
    decorators,
)
from lossscale_codemods.source.syntax_tree import is_none
from lossscale_codemods.tables import frameworks

if TYPE_CHECKING:
    from collections.abc import Sequence


class BindingValues(CallResults):
    """Answers for the bindings of one file."""

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
            is_property = bool(decorators(binding.node) & PROPERTIES)
            return self.binding_called(binding) if is_property else UNKNOWN
        if binding.kind is BindingKind.OTHER:
            return self._unpacked(binding)
        return self._of_class(binding.value) if binding.value is not None else UNKNOWN

    def _unpacked(self, binding: Binding) -> Values:
        """Returns what a name gets of a call's result: `model, optimizer = build()`."""
        tree = self.scopes.tree
        element = tree.parent(binding.node)
        target = tree.parent(element) if isinstance(element, cst.Element) else None
        above = tree.parent(target) if isinstance(target, cst.Tuple) else None
        statement = tree.parent(above) if isinstance(above, cst.AssignTarget) else None
        if not isinstance(target, cst.Tuple) or not isinstance(statement, cst.Assign):
            return UNKNOWN
        place = [e.value for e in target.elements].index(binding.node)  # type: ignore[arg-type]  # it is one
        return self.part_of_call(statement.value, place, len(target.elements))

    def _of_class(self, node: cst.BaseExpression) -> Values:
        """Returns the instances of a class, or of a tuple of classes."""
        if isinstance(node, cst.Tuple):
            return union(self._of_class(e.value) for e in node.elements)
        if isinstance(node, cst.SimpleString):
            paths = self.resolver.string_paths(str(node.evaluated_value), node)
            return self._of_paths(paths)
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
        for node in self.scopes.tree.parents:
            if isinstance(node, cst.Call) and node.args:
                inner = optimizer_argument(node)
                if (
                    inner is not None
                    and isinstance(inner.value, cst.Name | cst.Attribute)
                    and Value(ObjectType.WRAPPER) in self._of_paths(self.resolver.paths(node.func))
                ):
                    wrapped |= self.resolver.bindings(inner.value)
        return wrapped


class TypeInference(BindingValues):
    """Answers for the expressions of one file.

    Args:
        resolver: Knows what its names stand for.
        project: What is shared with the other files that are asked.
    """

    def __init__(self, resolver: Resolver, project: ProjectAnswers | None = None) -> None:
        super().__init__(resolver, project or ProjectAnswers(resolver, type(self)))

    def of(self, node: cst.CSTNode) -> frozenset[ObjectType]:
        """Returns the kinds of object that an expression can hold."""
        return frozenset(value.kind for value in self.values(node))

    def values(self, node: cst.CSTNode) -> Values:
        """Returns the objects that an expression can hold, each with the call that makes it.

        That call can be in another file of the project.
        """
        if not self.project.answers.is_idle:
            return self.ask(self._find, node)
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
        if name in {"dtype_policy", "_dtype_policy"}:
            return frozenset([Value(ObjectType.POLICY)])
        definitions = self.project.modules.named(self.resolver, node)
        if definitions:
            return self.of_definitions(definitions)
        classes = [value.instance_of for value in self.values(node.value)]
        members = [self._of_member(c, name, below=False) if c else None for c in classes]
        return union(UNKNOWN if values is None else values for values in members)

    def _of_member(self, owner: ProjectClass, name: str, *, below: bool) -> Values | None:
        """Returns what an attribute of an instance can hold; nothing if nothing assigns it.

        Args:
            owner: The class.
            name: The attribute.
            below: Whether it can be an instance of a subclass.
        """
        members = self.project.members
        definitions = members.attributes(owner, name)
        others = members.overridden(owner, name) if below else []
        if not definitions and not others:
            return None
        if others is None or members.may_be_assigned_elsewhere(name, owner):
            return UNKNOWN
        return union(
            self.project.file(d.resolver).of_binding(d.binding) for d in [*definitions, *others]
        )


class Keras3Types(TypeInference):
    """Type inference where `tf.keras` is Keras 3: its models are models, by either name."""

    def type_at(self, path: str) -> ObjectType:
        """Returns what kind of object a framework's class or function at a path makes."""
        return super().type_at(f"tensorflow.{path}" if frameworks.is_keras_3(path) else path)


class OldTypes(TypeInference):
    """Type inference that takes only the optimizers of the old class for loss-scale optimizers.

    The `loss_scale` of the class that stayed is a tensor: nothing that is kept of it is live.
    """

    def type_at(self, path: str) -> ObjectType:
        """Returns what kind of object a framework's class or function at a path makes."""
        return ObjectType.OTHER if frameworks.is_new_optimizer(path) else super().type_at(path)


def compile_argument(arguments: Sequence[cst.Arg]) -> cst.Arg | None:
    """Returns what `Model.compile` gets for the optimizer, if that can be seen."""
    for index, argument in enumerate(arguments):
        if argument.star == "*":
            return None
        if argument.keyword is None and not argument.star and index == 0:
            return argument
        if argument.keyword is not None and argument.keyword.value == "optimizer":
            return argument
    return None

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

from lossscale_codemods.analysis.binding_values import BindingValues
from lossscale_codemods.analysis.call_results import ProjectAnswers
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.modules import ProjectClass
from lossscale_codemods.analysis.name_resolution import Resolver
from lossscale_codemods.analysis.object_types import (
    NOTHING,
    OTHER,
    UNKNOWN,
    ObjectType,
    Value,
    Values,
    union,
)
from lossscale_codemods.analysis.program_files import others_name
from lossscale_codemods.analysis.syntax_tree import is_none
from lossscale_codemods.vocabulary import frameworks

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Keras3Types", "ObjectType", "OldTypes", "TypeInference", "Value"]


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
        if isinstance(node, cst.NamedExpr):
            return self.values(node.value)
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
        if name == "optimizer":
            compiled = self._of_compiled(node.value)
            if compiled is not None:
                return compiled
        definitions = self.project.modules.named(self.resolver, node)
        if definitions:
            return self.of_definitions(definitions)
        classes = [value.instance_of for value in self.values(node.value)]
        members = [self._of_member(c, name, below=False) if c else None for c in classes]
        return union(UNKNOWN if values is None else values for values in members)

    def _of_compiled(self, model: cst.BaseExpression) -> Values | None:
        """Returns the optimizers of a model, if all that compile it wrap their optimizers here.

        A policy can wrap others as well, so their types stay unknown.
        """
        models = self.values(model)
        if any(v.kind is not ObjectType.MODEL or v.made_by is None for v in models):
            return None
        if any(v.resolver is not self.resolver or self._has_own(v) for v in models):
            return None
        made = {value.made_by for value in models}
        optimizers_given: list[Values] = []
        for call in self._compiles:
            compiled = self.values(call.func.value) if isinstance(call.func, cst.Attribute) else ()
            if any(value.kind is ObjectType.UNKNOWN for value in compiled):
                return None
            if any(value.made_by in made for value in compiled):
                given = compile_argument(call.args)
                optimizers_given.append(self.values(given.value) if given is not None else UNKNOWN)
        optimizers = union(optimizers_given)
        if Value(ObjectType.WRAPPER) not in {
            v._replace(made_by=None, resolver=None) for v in optimizers
        }:
            return None
        return None if others_name(self.project.modules, ("compile",)) else optimizers

    def _has_own(self, model: Value) -> bool:
        """Whether a model's class has an attribute `optimizer`, or a `compile`, of its own."""
        own = model.instance_of
        members = self.project.members
        return own is not None and any(
            members.attributes(own, name) for name in ("optimizer", "compile")
        )

    @functools.cached_property
    def _compiles(self) -> list[cst.Call]:
        """The calls of this file that may compile a model."""
        return [
            node
            for node in self.scopes.tree.parents
            if isinstance(node, cst.Call)
            and isinstance(node.func, cst.Attribute)
            and node.func.attr.value == "compile"
            and None in self.resolver.paths(node.func)
        ]

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
        outside = members.assigned_elsewhere(name, owner)
        if others is None or outside is None:
            return UNKNOWN
        for definition, assigned_to in outside:
            values = self.project.file(definition.resolver).values(assigned_to)
            classes = {value.instance_of for value in values}
            if (
                not classes
                or None in classes
                or any(owner in members.line(one) for one in classes if one)
            ):
                definitions = [*definitions, definition]
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

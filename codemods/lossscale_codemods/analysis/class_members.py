# SPDX-License-Identifier: Apache-2.0
"""What the attributes and methods of a project's class can be: bases and subclasses included."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.modules import Definition, Modules, ProjectClass
from lossscale_codemods.analysis.syntax_tree import dotted

if TYPE_CHECKING:
    from lossscale_codemods.analysis.name_resolution import Resolver

_MOST_CLASSES = 24


class ClassMembers:
    """Answers for the classes of a project.

    Args:
        modules: The project's files.
    """

    def __init__(self, modules: Modules) -> None:
        self.modules = modules

    def line(self, owner: ProjectClass) -> list[ProjectClass]:
        """Returns a class and those of its base classes that are the project's, nearest first."""
        classes = [owner]
        for current in classes:
            for base in current.node.bases:
                classes += [
                    one
                    for one in self.modules.classes(current.resolver, base.value)
                    if one not in classes
                ]
            if len(classes) > _MOST_CLASSES:
                break
        return classes

    def subclasses(self, owner: ProjectClass) -> list[ProjectClass] | None:
        """Returns the classes that inherit from a class; nothing if they are not all known."""
        below: list[ProjectClass] = []
        waiting = [owner]
        while waiting:
            base = waiting.pop()
            direct = self._direct_subclasses(base)
            if direct is None or len(below) > _MOST_CLASSES:
                return None
            for one in direct:
                if one not in below:
                    below.append(one)
                    waiting.append(one)
        return below

    def _direct_subclasses(self, base: ProjectClass) -> list[ProjectClass] | None:
        name = base.node.name.value
        files = self.modules.mentioning(name)
        if files is None:
            return None
        says_so = re.compile(rb"\bclass\s+\w+\s*\([^)]*\b%s\b" % re.escape(name.encode()))
        resolvers: list[Resolver] = [base.resolver]
        for path in files:
            if says_so.search(self.modules.source(path)):
                resolver = self.modules.at(path)
                if resolver is None:
                    return None
                if resolver not in resolvers:
                    resolvers.append(resolver)
        return [
            ProjectClass(resolver, scope)
            for resolver in resolvers
            for node, scope in resolver.scopes.of_node.items()
            if isinstance(node, cst.ClassDef)
            and any(base in self.modules.classes(resolver, b.value) for b in node.bases)
        ]

    def attributes(self, owner: ProjectClass, name: str) -> list[Definition]:
        """Returns what a class and its bases give to an attribute, in methods and in their body."""
        return [
            Definition(one.resolver, binding)
            for one in self.line(owner)
            for binding in dict.fromkeys(
                [*one.scope.attributes.get(name, ()), *one.scope.bindings.get(name, ())]
            )
        ]

    def overridden(self, owner: ProjectClass, name: str) -> list[Definition] | None:
        """Returns what subclasses give to an attribute; nothing if they are not all known."""
        below = self.subclasses(owner)
        if below is None:
            return None
        return [
            Definition(one.resolver, binding)
            for one in below
            for binding in dict.fromkeys(
                [*one.scope.attributes.get(name, ()), *one.scope.bindings.get(name, ())]
            )
        ]

    def method(self, owner: ProjectClass, name: str) -> list[Definition]:
        """Returns the definitions of a method, of the nearest class that has it."""
        for one in self.line(owner):
            bindings = dict.fromkeys(
                [*one.scope.attributes.get(name, ()), *one.scope.bindings.get(name, ())]
            )
            if bindings:
                return [Definition(one.resolver, binding) for binding in bindings]
        return []

    def assigned_elsewhere(
        self, name: str, owner: ProjectClass
    ) -> list[tuple[Definition, cst.BaseExpression]] | None:
        """Returns what files that name a class, or a base, assign to an attribute but of `self`.

        Args:
            name: The attribute.
            owner: The class.

        Returns:
            Each assignment with the object whose attribute it is; nothing if they are not known.
        """
        files = self.modules.mentioning(name)
        if files is None:
            return None
        attribute = re.escape(name.encode())
        assigned = re.compile(rb"\.%s\b[^\n(=]*=(?!=)" % attribute)
        set_by_name = re.compile(rb"setattr\([^\n]*[\"']%s[\"']" % attribute)
        names = (re.escape(one.node.name.value.encode()) for one in self.line(owner))
        word = re.compile(rb"\b(?:%s)\b" % b"|".join(names))
        resolvers = [owner.resolver]
        for path in files:
            source = self.modules.source(path)
            if not word.search(source):
                continue
            if set_by_name.search(source):
                return None
            if assigned.search(source):
                resolver = self.modules.at(path)
                if resolver is None:
                    return None
                if resolver not in resolvers:
                    resolvers.append(resolver)
        return [
            (Definition(resolver, binding), node.value)
            for resolver in resolvers
            for node, bindings in resolver.scopes.binding_at.items()
            if isinstance(node, cst.Attribute) and node.attr.value == name
            for binding in bindings
            if resolver.class_of(node.value) is None
        ]

    def is_replaced(self, definition: Definition) -> bool:
        """Whether a file may put something else in the place of what a module defines."""
        name = definition.binding.name.rpartition(".")[2]
        files = self.modules.mentioning(name)
        if files is None:
            return True
        word = re.escape(name.encode())
        replaced = re.compile(rb"\.%s\b[^\n(=]*=(?!=)|setattr\([^\n]*[\"']%s[\"']" % (word, word))
        for path in files:
            if replaced.search(self.modules.source(path)):
                resolver = self.modules.at(path)
                if resolver is None or self._replaces(resolver, definition, name):
                    return True
        return False

    def _replaces(self, resolver: Resolver, definition: Definition, name: str) -> bool:
        for node in resolver.scopes.tree.parents:
            module: cst.BaseExpression | None = None
            if isinstance(node, cst.Attribute) and node.attr.value == name:
                module = node.value if node in resolver.scopes.binding_at else None
            elif isinstance(node, cst.Call) and dotted(node.func) == "setattr" and node.args:
                module = node.args[0].value
            if module is not None and self.modules.is_module_of(resolver, module, definition):
                return True
        return False

# SPDX-License-Identifier: Apache-2.0
"""Where a file names Keras optimizers without saying of which family they are."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import import_path, member_path
from lossscale_codemods.analysis.finding_guards import find_guards
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.vocabulary import optimizer_families
from lossscale_codemods.vocabulary.names import Meaning, OldName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program

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

# SPDX-License-Identifier: Apache-2.0
"""The places in a file at which an old name occurs, and how they are found."""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections.abc import Iterator

import libcst as cst

from lossscale_codemods.python import BindingKind, Resolver, imported
from lossscale_codemods.source.syntax_tree import Span, dotted
from lossscale_codemods.tables import frameworks, likely_names, names
from lossscale_codemods.tables.names import Meaning, OldName


class Role(enum.Enum):
    """How an old name occurs in the file."""

    REFERENCE = "reference"
    IMPORT = "import"
    UNRESOLVED = "name with an unknown root"
    FOUND = "found by a rule"
    STRING = "string that a rule found"
    DOUBTFUL = "found by a rule, and right in programs for new versions"
    OPTIMIZER = "Keras optimizer, of a family that is not said"
    LATER = "what is old for Keras 3 alone"
    NEIGHBOUR = "name next to the loss-scale API"


BESIDE = frozenset({Role.OPTIMIZER, Role.LATER, Role.NEIGHBOUR})
"""What does not stand in branches for old versions because it is old."""


@dataclasses.dataclass(eq=False)
class Occurrence:
    """One place at which an old name occurs.

    Attributes:
        node: The expression, import alias or string.
        span: Where it stands.
        role: In which way.
        names: The old names it can be; empty if a rule found it by other means.
        ambiguous: Whether it can also be something that is no old name.
        rule: The id of the rule that found it, if one did.
        is_old_use: Whether it makes the file one of an old program, as the old names do.
    """

    node: cst.CSTNode
    span: Span
    role: Role
    names: tuple[OldName, ...] = ()
    ambiguous: bool = False
    rule: str | None = None
    is_old_use: bool = False

    @functools.cached_property
    def meaning(self) -> Meaning | None:
        """What the old name is, if all it can be agree."""
        meanings = {name.meaning for name in self.names}
        return meanings.pop() if len(meanings) == 1 else None

    @functools.cached_property
    def base(self) -> cst.CSTNode:
        """The name that the dotted expression starts with."""
        node = self.node
        while isinstance(node, cst.Attribute):
            node = node.value
        return node

    def prefixes(self) -> Iterator[cst.CSTNode]:
        """Yields the dotted expression itself, then shorter and shorter beginnings of it."""
        node = self.node
        yield node
        while isinstance(node, cst.Attribute):
            node = node.value
            yield node


def _is_handed_on(path: str) -> bool:
    """Whether a path is that of another package's `tf`, which may be TensorFlow itself."""
    package, _, last = path.rpartition(".")
    return bool(package) and last in {"tf", "tensorflow"} and not frameworks.is_framework(path)


def _steps(node: cst.CSTNode) -> list[str]:
    """Returns the words of a dotted expression, whatever it starts with."""
    if isinstance(node, cst.Attribute):
        return [*_steps(node.value), node.attr.value]
    if isinstance(node, cst.Name):
        return [node.value]
    if isinstance(node, cst.Call):
        if dotted(node.func) == "getattr" and len(node.args) > 1:
            name = node.args[1].value
            text = name.evaluated_value if isinstance(name, cst.SimpleString) else None
            # The name of the module itself is reported as a string.
            if isinstance(text, str) and text != "experimental":
                return [*_steps(node.args[0].value), text]
        return _steps(node.func)[-1:]
    return []


class Finder:
    """Finds the old names of one file."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self.scopes = resolver.scopes
        self.tree = resolver.scopes.tree

    def references(self) -> list[Occurrence]:
        """Returns every expression that is an old name, or could be one, in order."""
        references = []
        for node in self.scopes.scope_of_read:
            if not isinstance(node, cst.Name):
                continue
            occurrence = self._reference(node)
            if occurrence is not None:
                references.append(occurrence)
        references.extend(self._behind_calls())
        return sorted(references, key=lambda o: o.span)

    def _chain(self, node: cst.CSTNode) -> list[cst.CSTNode]:
        chain = [node]
        above = self.tree.parent(node)
        while isinstance(above, cst.Attribute) and above.value is chain[-1]:
            if above in self.scopes.binding_at:
                break  # It is assigned here, not read.
            chain.append(above)
            above = self.tree.parent(above)
        return chain

    def _reference(self, name: cst.Name) -> Occurrence | None:
        chain = self._chain(name)
        for node in reversed(chain):
            paths = self.resolver.paths(node)
            known = [names.lookup(p) for p in paths if p is not None]
            old = tuple(sorted((o for o in known if o is not None), key=lambda o: o.path))
            if old and not self._is_conversion(node, chain):
                return Occurrence(
                    node, self.tree.span(node), Role.REFERENCE, old, ambiguous=len(old) < len(paths)
                )
        return self._unresolved(chain)

    def _is_conversion(self, node: cst.CSTNode, chain: list[cst.CSTNode]) -> bool:
        # `mp.Policy` stands for itself: `mp` is looked at as a part of it.
        if node is chain[-1] or self.resolver.can_be(chain[-1], names.lookup):
            return False
        return self.resolver.can_be(chain[-1], frameworks.is_new_name)

    def _unresolved(self, chain: list[cst.CSTNode]) -> Occurrence | None:
        paths = self.resolver.paths(chain[0])
        if any(p is not None and not p.startswith(".") and not _is_handed_on(p) for p in paths):
            return None
        if self._is_own_definition(chain[0]):
            return None
        for node in reversed(chain):
            spelled = dotted(node)
            if spelled is None or not likely_names.is_unresolved_old_name(spelled):
                continue
            return Occurrence(node, self.tree.span(node), Role.UNRESOLVED, ambiguous=True)
        return None

    def _behind_calls(self) -> Iterator[Occurrence]:
        """Yields what reads like an old name of what a call returns, or an item is.

        `contrib.mixed_precision().LossScaleOptimizer` imports it when it is needed.
        """
        for node in self.scopes.scope_of_read:
            if not isinstance(node, cst.Attribute) or isinstance(
                self.tree.parent(node), cst.Attribute
            ):
                continue
            root = node.value
            while isinstance(root, cst.Attribute):
                root = root.value
            if isinstance(root, cst.Name) or not self._can_be_module(root):
                continue
            called = isinstance(root, cst.Call) and dotted(root.func) != "getattr"
            paths = self.resolver.paths(node) if called else frozenset()
            if self._reads_like_old(node) or any(p and names.lookup(p) for p in paths):
                yield Occurrence(node, self.tree.span(node), Role.UNRESOLVED, ambiguous=True)

    def _reads_like_old(self, node: cst.CSTNode) -> bool:
        while isinstance(node, cst.Attribute):
            function = dotted(node.value.func) if isinstance(node.value, cst.Call) else None
            if likely_names.is_unresolved_old_name(".".join(_steps(node))) or (
                function is not None
                and likely_names.is_lazy_contrib_name(function, node.attr.value)
            ):
                return True
            node = node.value
        return False

    def _can_be_module(self, root: cst.BaseExpression) -> bool:
        """Whether what a call returns can be a module of TensorFlow, as far as is known."""
        if not isinstance(root, cst.Call) or dotted(root.func) == "getattr":
            return True
        return not self.resolver.can_be(root.func, frameworks.is_framework)

    def _is_own_definition(self, node: cst.CSTNode) -> bool:
        kinds = {b.kind for b in self.resolver.bindings(node)}
        return bool(kinds & {BindingKind.CLASS, BindingKind.FUNCTION})

    def imports(self) -> list[Occurrence]:
        """Returns every imported name and star import that brings in an old name, in order."""
        occurrences = []
        for statement in self.tree.nodes(cst.ImportFrom, cst.Import):
            for node, path in imported(statement):
                is_star = node is statement
                if path.startswith(".") and self.resolver.project is not None and not is_star:
                    continue  # The imported file is migrated by itself.
                old = names.lookup(path)
                if old is not None:
                    span = self.tree.span(node)
                    occurrences.append(Occurrence(node, span, Role.IMPORT, (old,)))
        return sorted(occurrences, key=lambda o: o.span)

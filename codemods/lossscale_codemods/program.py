# SPDX-License-Identifier: Apache-2.0
"""One file as the rules see it: every place at which an old name stands, and how it is used."""

from __future__ import annotations

import dataclasses
import enum
import functools
import re
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods import names
from lossscale_codemods.bindings import Binding, BindingKind, Scope, import_path, member_path
from lossscale_codemods.exports import Exports
from lossscale_codemods.names import Meaning, OldName, Target
from lossscale_codemods.resolve import RelativeImports, Resolver
from lossscale_codemods.scopes import Scopes
from lossscale_codemods.tree import Span, Tree, dotted

if TYPE_CHECKING:
    from collections.abc import Iterator


class Role(enum.Enum):
    """In which way an old name stands in the file."""

    REFERENCE = "reference"
    ANNOTATION_STRING = "string annotation"
    IMPORT = "import"
    UNRESOLVED = "name with an unknown root"
    FOUND = "found by a rule"


class Usage(enum.Enum):
    """What a reference is used for."""

    CALLED = "called"
    BASE_CLASS = "base class"
    TYPE_TEST = "isinstance"
    TYPE_COMPARISON = "type comparison"
    ANNOTATION = "annotation"
    ALIAS = "given another name"
    CUSTOM_OBJECT = "value under its own name"
    MEMBER = "attribute read from it"
    VALUE = "passed on"


@dataclasses.dataclass(eq=False)
class Occurrence:
    """One place at which an old name stands.

    Attributes:
        node: The expression, import alias or string.
        span: Where it stands.
        role: In which way.
        names: The old names it can be; empty if a rule found it by other means.
        ambiguous: Whether it can also be something that is no old name.
        rule: The id of the rule that found it, if one did.
    """

    node: cst.CSTNode
    span: Span
    role: Role
    names: tuple[OldName, ...] = ()
    ambiguous: bool = False
    rule: str | None = None

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


_DOTTED_IN_STRING = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_COMPARISONS = (cst.Equal, cst.NotEqual, cst.Is, cst.IsNot)


class Program:
    """A parsed file, its scopes, and the old names in it.

    Args:
        module: The parsed file.
        target: What it is migrated to.
        relative: Knows what relative imports give.
        source: The bytes it was parsed from.
        exports: What is known of the files that may import this one.
    """

    def __init__(
        self,
        module: cst.Module,
        target: Target = Target.TF_KERAS,
        relative: RelativeImports | None = None,
        source: bytes | None = None,
        exports: Exports | None = None,
    ) -> None:
        self.target = target
        self.exports = Exports() if exports is None else exports
        self.rewritten: set[cst.CSTNode] = set()
        """Nodes of the occurrences that are decided to be rewritten so far."""
        self.tree = Tree(module)
        self.source = self.tree.bytes if source is None else source
        self.scopes = Scopes(self.tree)
        self.resolver = Resolver(self.scopes, relative=relative)

    @functools.cached_property
    def references(self) -> list[Occurrence]:
        """Every expression that is an old name, or could be one."""
        found = []
        for node in self.scopes.scope_of_read:
            if not isinstance(node, cst.Name):
                continue
            occurrence = self._reference(node)
            if occurrence is not None:
                found.append(occurrence)
        found.extend(self._annotation_strings())
        return sorted(found, key=lambda o: o.span)

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
                    node,
                    self.tree.span(node),
                    Role.REFERENCE,
                    old,
                    ambiguous=len(old) < len(paths),
                )
        return self._unresolved(chain)

    def _is_conversion(self, node: cst.CSTNode, chain: list[cst.CSTNode]) -> bool:
        # `mp.Policy` stands for itself: `mp` is looked at as a part of it.
        return node is not chain[-1] and bool(
            any(p is not None and names.is_new_name(p) for p in self.resolver.paths(chain[-1]))
            and not any(p and names.lookup(p) for p in self.resolver.paths(chain[-1]))
        )

    def _unresolved(self, chain: list[cst.CSTNode]) -> Occurrence | None:
        paths = self.resolver.paths(chain[0])
        if any(p is not None and not p.startswith(".") for p in paths):
            return None
        if self._is_own_definition(chain[0]):
            return None
        for node in reversed(chain):
            spelled = dotted(node)
            if spelled is None or not names.is_unresolved_old_name(spelled):
                continue
            return Occurrence(node, self.tree.span(node), Role.UNRESOLVED, ambiguous=True)
        return None

    def _is_own_definition(self, node: cst.CSTNode) -> bool:
        kinds = {b.kind for b in self.resolver.bindings(node)}
        return bool(kinds & {BindingKind.CLASS, BindingKind.FUNCTION})

    def _annotation_strings(self) -> Iterator[Occurrence]:
        for node in self.tree.parents:
            if not isinstance(node, cst.SimpleString) or not self._in_annotation(node):
                continue
            start = self.tree.span(node)[0]
            raw = node.value
            for match in _DOTTED_IN_STRING.finditer(raw, len(node.prefix) + 1):
                paths = self.resolver.string_paths(match.group(), node)
                old = tuple(o for p in paths if p is not None and (o := names.lookup(p)))
                if old:
                    left = start + len(raw[: match.start()].encode())
                    span = (left, left + len(match.group().encode()))
                    role = Role.ANNOTATION_STRING
                    yield Occurrence(node, span, role, old, ambiguous=len(old) < len(paths))

    def _in_annotation(self, node: cst.CSTNode) -> bool:
        for above in self.tree.ancestors(node):
            if isinstance(above, cst.Subscript) and (dotted(above.value) or "").endswith("Literal"):
                return False
            if isinstance(above, cst.Annotation):
                return True
            if isinstance(above, cst.BaseStatement | cst.Call):
                return False
        return False

    @functools.cached_property
    def imports(self) -> list[Occurrence]:
        """Every imported name, and every star import, that brings in an old name."""
        found = []
        for node in self.tree.parents:
            if isinstance(node, cst.ImportFrom):
                module = import_path(node)
                if isinstance(node.names, cst.ImportStar):
                    old = names.lookup(module)
                    if old is not None:
                        found.append(self._import(node, old))
                    continue
                for alias in node.names:
                    path = member_path(module, alias.evaluated_name)
                    if path.startswith(".") and self.resolver.relative is not None:
                        continue  # The imported file is migrated by itself.
                    old = names.lookup(path)
                    if old is not None:
                        found.append(self._import(alias, old))
            elif isinstance(node, cst.Import):
                for alias in node.names:
                    old = names.lookup(dotted(alias.name) or "")
                    if old is not None:
                        found.append(self._import(alias, old))
        return sorted(found, key=lambda o: o.span)

    def _import(self, node: cst.CSTNode, old: OldName) -> Occurrence:
        return Occurrence(node, self.tree.span(node), Role.IMPORT, (old,))

    def scope(self, occurrence: Occurrence) -> Scope:
        """Returns the scope that an occurrence is read in."""
        found = self.scopes.scope_of_read.get(occurrence.base)
        return found if found is not None else self.scopes.scope_of(occurrence.node)

    def call(self, occurrence: Occurrence) -> cst.Call | None:
        """Returns the call of the name, if it is called."""
        above = self.tree.parent(occurrence.node)
        return above if isinstance(above, cst.Call) and above.func is occurrence.node else None

    def usage(self, occurrence: Occurrence) -> Usage:
        """Returns what a reference is used for."""
        node = occurrence.node
        above = self.tree.parent(node)
        if self.call(occurrence) is not None:
            return Usage.CALLED
        if isinstance(above, cst.Attribute):
            return Usage.MEMBER
        if isinstance(above, cst.Arg):
            outer = self.tree.parent(above)
            if isinstance(outer, cst.ClassDef):
                return Usage.BASE_CLASS
        if any(isinstance(a, cst.Annotation) for a in self._expression_ancestors(node)):
            return Usage.ANNOTATION
        if self._type_test(node):
            return Usage.TYPE_TEST
        if self.type_comparison(node) is not None:
            return Usage.TYPE_COMPARISON
        if isinstance(above, cst.Assign | cst.AnnAssign) and self.alias_bindings(occurrence):
            return Usage.ALIAS
        if isinstance(above, cst.DictElement) and above.value is node:
            key = above.key
            last = occurrence.names[0].path.rsplit(".", 1)[-1] if occurrence.names else ""
            if isinstance(key, cst.SimpleString) and last and last in str(key.evaluated_value):
                return Usage.CUSTOM_OBJECT
        return Usage.VALUE

    def _expression_ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        for above in self.tree.ancestors(node):
            if isinstance(above, cst.BaseStatement | cst.BaseSmallStatement):
                return
            yield above

    def _type_test(self, node: cst.CSTNode) -> bool:
        above = self.tree.parent(node)
        while isinstance(above, cst.Element | cst.Tuple) or (
            isinstance(above, cst.BinaryOperation) and isinstance(above.operator, cst.BitOr)
        ):
            node, above = above, self.tree.parent(above)
        if not isinstance(above, cst.Arg):
            return False
        call = self.tree.parent(above)
        return (
            isinstance(call, cst.Call)
            and dotted(call.func) in {"isinstance", "issubclass"}
            and len(call.args) == 2
            and call.args[1] is above
        )

    def type_comparison(self, node: cst.CSTNode) -> cst.Comparison | None:
        """Returns the comparison `type(x) == node` that a class stands in, if it does."""
        above = self.tree.parent(node)
        if isinstance(above, cst.ComparisonTarget):
            above = self.tree.parent(above)
        if not isinstance(above, cst.Comparison) or len(above.comparisons) != 1:
            return None
        target = above.comparisons[0]
        if not isinstance(target.operator, _COMPARISONS):
            return None
        if node is not above.left and node is not target.comparator:
            return None
        other = target.comparator if above.left is node else above.left
        is_type = (isinstance(other, cst.Call) and dotted(other.func) == "type") or (
            isinstance(other, cst.Attribute) and other.attr.value == "__class__"
        )
        return above if is_type else None

    def alias_bindings(self, occurrence: Occurrence) -> list[Binding]:
        """Returns the names that an assignment of just this old name gives it."""
        above = self.tree.parent(occurrence.node)
        if isinstance(above, cst.Assign):
            targets: list[cst.CSTNode] = [t.target for t in above.targets]
        elif isinstance(above, cst.AnnAssign):
            targets = [above.target]
        else:
            return []
        found = []
        for target in targets:
            bindings = self.scopes.binding_at.get(target, [])
            if not bindings or not isinstance(target, cst.Name | cst.Attribute):
                return []
            if isinstance(target, cst.Attribute) and not self.owner_of_attribute(bindings[0]):
                return []
            found.extend(bindings)
        return found

    def owner_of_attribute(self, binding: Binding) -> Scope | None:
        """Returns the class whose `self.<attribute>` a binding is, if it is one."""
        return self._attribute_owners.get(binding)

    @functools.cached_property
    def _attribute_owners(self) -> dict[Binding, Scope]:
        return {
            binding: scope
            for scope in self.scopes.of_node.values()
            for bindings in scope.attributes.values()
            for binding in bindings
        }

    @functools.cached_property
    def reads_by_attribute(self) -> dict[str, list[cst.Attribute]]:
        """Every attribute that is read, by its last name."""
        found: dict[str, list[cst.Attribute]] = {}
        for node in self.scopes.scope_of_read:
            if isinstance(node, cst.Attribute):
                found.setdefault(node.attr.value, []).append(node)
        return found

    @functools.cached_property
    def exported(self) -> frozenset[str]:
        """The names in the module's `__all__`."""
        found: set[str] = set()
        for binding in self.scopes.module.bindings.get("__all__", []):
            statement = self.tree.statement(binding.node)
            found.update(
                str(node.evaluated_value)
                for node in self.tree.walk(statement)
                if isinstance(node, cst.SimpleString)
            )
        return frozenset(found)

    @functools.cached_property
    def is_tf1_program(self) -> bool:
        """Whether the file uses names that TensorFlow 2 has only under `compat.v1`."""
        return any(
            path is not None and names.is_only_in_tf1(path)
            for reads in self.reads_by_attribute.values()
            for node in reads
            for path in self.resolver.paths(node)
        )

    def describe(self, occurrence: Occurrence) -> str:
        """Returns the old name as the file spells it."""
        node = occurrence.node
        if isinstance(node, cst.ImportFrom):
            return f"{import_path(node)}.*"
        if isinstance(node, cst.ImportAlias):
            return occurrence.names[0].path
        return " ".join(self.tree.slice(occurrence.span).split())

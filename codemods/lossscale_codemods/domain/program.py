# SPDX-License-Identifier: Apache-2.0
"""One file as the rules see it: how its old names are found, and what each is used for."""

from __future__ import annotations

import dataclasses
import enum
import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import libcst as cst

from lossscale_codemods.domain.type_inference import (
    Keras3Types,
    ObjectType,
    OldTypes,
    TypeInference,
)
from lossscale_codemods.domain.version_values import VersionReachability
from lossscale_codemods.python import (
    Binding,
    BindingKind,
    ProjectFiles,
    Resolver,
    Scope,
    all_bindings,
    import_path,
    imported,
    lookup_of,
    others_name,
    scopes_of,
)
from lossscale_codemods.source.syntax_tree import (
    Span,
    Tree,
    dotted,
    is_none,
    key_of,
    keywords_of,
    literal_text,
)
from lossscale_codemods.tables import frameworks, keras_3, names, optimizer_families
from lossscale_codemods.tables.names import WITH_KERAS_3, Meaning, OldName
from lossscale_codemods.tables.options import Observed, Options


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
        reads = [node for node in self.scopes.scope_of_read if isinstance(node, cst.Name)]
        references = [*filter(None, map(self._reference, reads)), *self._behind_calls()]
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
            if spelled is not None and names.is_unresolved_old_name(spelled):
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
            if names.is_unresolved_old_name(".".join(_steps(node))) or (
                function is not None and names.is_lazy_contrib_name(function, node.attr.value)
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


T = TypeVar("T")

_OF_KERAS_3 = {"scale_loss", "stateless_apply"}
_OF_OPTIMIZERS = {ObjectType.KERAS, ObjectType.WRAPPER}
_OF_TENSORFLOW_2_4 = {"get_scaled_loss", "get_unscaled_gradients"}
"""Methods that one wrapper has, and the other lacks."""


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


class Program:
    """A parsed file, its scopes, and the old names in it.

    Args:
        tree: The parsed file.
        options: What is done with it.
        project: The project that it is in, if it is in one.
        source: The bytes it was parsed from.
        runs_with_old: Whether it runs in one program with files that come to old names; without
            it, it does if it has such names itself.
    """

    def __init__(
        self,
        tree: Tree,
        options: Options | None = None,
        project: ProjectFiles | None = None,
        source: bytes | None = None,
        *,
        runs_with_old: bool | None = None,
    ) -> None:
        self.options = Options() if options is None else options
        self.target, self.exports = self.options.target, self.options.exports
        self.has_old_uses = False
        """Whether rules have found what is no old name, and makes this an old program as well."""
        self.decided_strings: set[cst.CSTNode] = set()
        """Strings, other than annotations, that a rule decides."""
        self.observed: Observed = {}
        """What a recorded run saw, by line."""
        self.decided_by_run: dict[int, int] = {}
        """The lines at which that decides something, and how often the run came to each."""
        self.tree = tree
        self.line_at_first: Callable[[int], int] = lambda offset: self.tree.position(offset)[0]
        """Tells the line of the file as it was given, where this is a later form of it."""
        self.source = self.tree.bytes if source is None else source
        self.scopes = scopes_of(self.tree)
        self.resolver = Resolver(self.scopes, project=project)
        with_keras_3 = self.target in WITH_KERAS_3
        self.types = (Keras3Types if with_keras_3 else TypeInference)(self.resolver)
        self.legacy_optimizers = self.options.legacy_optimizers is not False
        self.selection = self.options.selection
        self.runs_with_old = runs_with_old
        self._memory: dict[str, Any] = {}
        self._finder = Finder(self.resolver)

    @functools.cached_property
    def old_types(self) -> OldTypes:
        """Type inference that takes only the optimizers of the old class for loss-scale ones."""
        return OldTypes(self.resolver)

    def remembered(self, key: str, find: Callable[[], T]) -> T:
        """Returns what is found once in a file, for all who ask."""
        if key not in self._memory:
            self._memory[key] = find()
        found: T = self._memory[key]
        return found

    @functools.cached_property
    def reachability(self) -> VersionReachability:
        """Which parts of the file only some versions of TensorFlow reach."""
        return VersionReachability(self.resolver, self.types.project.modules)

    @functools.cached_property
    def today(self) -> Resolver:
        """What the file's names stand for on the versions of TensorFlow of today."""
        reachability = self.reachability
        return self.resolver.where(lambda binding: reachability.is_reached_today(binding.node))

    @property
    def uses_frameworks(self) -> bool:
        """Whether it has to do with TensorFlow or Keras, or runs with a file that has."""
        is_named = b"tensorflow" in self.source or b"keras" in self.source
        return is_named or bool(self.runs_with_old)

    @property
    def scales_losses(self) -> bool:
        """Whether it, or a file beside it, names what TensorFlow 2.4 has for loss scaling."""
        words = optimizer_families.LOSS_SCALING
        is_here = any(word.encode() in self.source for word in words)
        return is_here or others_name(self.types.project.modules, words, if_unknown=False)

    @functools.cached_property
    def has_old_arguments(self) -> bool:
        """Whether an optimizer that is to scale its loss gets what only 2.10 and older take.

        Such a program has names of today, and is of TensorFlow 2.4 to 2.10.
        """
        if not self.scales_losses:
            return False
        with_keras_3 = self.target in WITH_KERAS_3
        if with_keras_3 and self.unpacked():
            return True
        keys, calls = optimizer_families.ONLY_LEGACY, self.tree.nodes(cst.Call)
        given = [call for call in calls if keys & keywords_of(call).keys()]
        named = [part for c in given for part in (c.func, *(one.value for one in c.args[:1]))]
        for one in self.tree.nodes(cst.ClassDef):
            if optimizer_families.METHODS & self.scopes.of_node[one].bindings.keys():
                named += [base.value for base in one.bases]
        if any(map(self.is_of_either_family, named)):
            return True
        if b"legacy" in self.source:  # It says which family it has, and Keras 3 has one alone.
            found = map(self.resolver.path, self.reads_by_attribute.get("legacy", ()))
            paths = (*found, *(one.path for one in all_bindings(self.resolver)))
            return with_keras_3 and any(keras_3.without_family(path or "") for path in paths)
        members = keras_3.OF_LEGACY | ({"lr"} if with_keras_3 else set())
        reads = [one for name in members for one in self.reads_by_attribute.get(name, ())]
        # `opt.get_config()["decay"]`, or `config["decay"]` of a name that holds it.
        keyed = [one for one in self.tree.nodes(cst.Subscript) if key_of(one) in keys]
        held = [value for one in keyed for value in self.today.values(one.value) if value]
        configs = {part for whole in (*keyed, *held) for part in self.tree.walk(whole)}
        reads += [one for one in self.reads_by_attribute.get("get_config", ()) if one in configs]
        return any(self.types.of(one.value) & _OF_OPTIMIZERS for one in reads)

    def unpacked(self) -> list[cst.Call]:
        """Returns calls that unpack arguments, where old ones are named, if a loss is scaled."""
        calls = self.tree.nodes(cst.Call)
        stored = (one.target for one in self.tree.nodes(cst.AssignTarget))
        named = {key_of(one) for one in stored if isinstance(one, cst.Subscript)}
        named.update(literal_text(one.key) for one in self.tree.nodes(cst.DictElement))
        named.update(*map(keywords_of, calls))
        if not (self.scales_losses and named & optimizer_families.ONLY_LEGACY):
            return []
        unpacking = (one for one in calls if any(given.star == "**" for given in one.args))
        return [one for one in unpacking if self.is_of_either_family(one.func)]

    def is_of_either_family(self, node: cst.BaseExpression) -> bool:
        """Whether a class of today, by its name or from a table or module, once was another one."""
        ways: list[cst.BaseExpression | None] = [node]
        for way in itertools.islice(ways, 100):  # It grows, in `x = x[name]` without an end.
            found = lookup_of(way, self.scopes) if way is not None else None
            if found is not None and self.today.is_only(found.owner, optimizer_families.is_home):
                return True
            match way:
                case cst.Name() | cst.Attribute():
                    if self.today.is_only(way, optimizer_families.legacy_class):
                        return True
                    ways += self.today.values(way)
                case cst.Subscript(value=table) | cst.Call(func=cst.Attribute(value=table)):
                    ways.append(table)
                case cst.Dict(elements=elements):
                    ways += [one.value for one in elements]
        return False

    @functools.cached_property
    def is_written_for_keras_3(self) -> bool:
        """Whether it calls what only Keras 3's wrapper has, and nothing that that lacks."""
        reads = self.reads_by_attribute.keys()
        return bool(reads & _OF_KERAS_3) and not reads & _OF_TENSORFLOW_2_4

    @functools.cached_property
    def has_members_of_tensorflow_2_4(self) -> bool:
        """Whether it is for Keras 3, and reads what only the wrapper of TensorFlow 2.4 has."""
        if self.target not in WITH_KERAS_3:
            return False
        reads = self.reads_by_attribute
        scales = [*reads.get("loss_scale", ()), *reads.get("dynamic_counter", ())]
        return bool(reads.keys() & _OF_TENSORFLOW_2_4) or any(
            ObjectType.WRAPPER in self.types.of(read.value) for read in scales
        )

    @functools.cached_property
    def references(self) -> list[Occurrence]:
        """Every expression that is an old name, or could be one."""
        return self._finder.references()

    @functools.cached_property
    def imports(self) -> list[Occurrence]:
        """Every imported name, and every star import, that brings in an old name."""
        return self._finder.imports()

    def line(self, node: cst.CSTNode) -> int:
        """Returns the line that a node is on in the file as it was given."""
        return self.line_at_first(self.tree.span(node)[0])

    def scope(self, occurrence: Occurrence) -> Scope:
        """Returns the scope that an occurrence is read in."""
        read_in = self.scopes.scope_of_read.get(occurrence.base)
        return read_in if read_in is not None else self.scopes.scope_of(occurrence.node)

    def call(self, occurrence: Occurrence) -> cst.Call | None:
        """Returns the call of the name, if it is called."""
        return self.tree.call_of(occurrence.node)

    def usage(self, occurrence: Occurrence) -> Usage:
        """Returns what a reference is used for."""
        node = occurrence.node
        above = self.tree.parent(node)
        if self.call(occurrence) is not None:
            return Usage.CALLED
        if isinstance(above, cst.Attribute):
            return Usage.MEMBER
        if isinstance(above, cst.Arg) and isinstance(self.tree.parent(above), cst.ClassDef):
            return Usage.BASE_CLASS
        if self.tree.around(node, cst.Annotation) is not None:
            return Usage.ANNOTATION
        if self._type_test(node):
            return Usage.TYPE_TEST
        if self._is_compared(node):
            return Usage.TYPE_COMPARISON
        if self.alias_bindings(occurrence):
            return Usage.ALIAS
        if isinstance(above, cst.DictElement) and above.value is node:
            last = occurrence.names[0].path.rsplit(".", 1)[-1] if occurrence.names else ""
            if last and last in (literal_text(above.key) or ""):
                return Usage.CUSTOM_OBJECT
        return Usage.VALUE

    def _type_test(self, node: cst.CSTNode) -> bool:
        above = self.tree.parent(node)
        if isinstance(above, cst.MatchClass):
            return not above.patterns and not above.kwds
        while isinstance(above, cst.Element | cst.Tuple) or (
            isinstance(above, cst.BinaryOperation) and isinstance(above.operator, cst.BitOr)
        ):
            node, above = above, self.tree.parent(above)
        if not isinstance(above, cst.Arg):
            return False
        call = self.tree.parent(above)
        if not isinstance(call, cst.Call) or len(call.args) < 2 or call.args[1] is not above:
            return False
        return dotted(call.func) in {"isinstance", "issubclass"} and len(call.args) == 2

    def inherits(self, node: cst.CSTNode | None, is_base: Callable[[str], bool]) -> bool:
        """Whether a node is a class with a base of some kind, by its path."""
        bases = node.bases if isinstance(node, cst.ClassDef) else ()
        return any(self.resolver.can_be(base.value, is_base) for base in bases)

    def _is_compared(self, node: cst.CSTNode) -> bool:
        """Whether this is the class in a comparison with a type, `type(x) == node`."""
        above = self.tree.parent(node)
        if isinstance(above, cst.ComparisonTarget):
            above = self.tree.parent(above)
        match above:
            case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(comparator=right)]):
                other = right if left is node else left
                is_class = isinstance(other, cst.Attribute) and other.attr.value == "__class__"
                return is_class or (isinstance(other, cst.Call) and dotted(other.func) == "type")
        return False

    def alias_bindings(self, occurrence: Occurrence) -> list[Binding]:
        """Returns the names that an assignment of just this old name, or else None, gives it."""
        node = occurrence.node
        above = self.tree.parent(node)
        if isinstance(above, cst.IfExp) and above.test is not node:
            other = above.orelse if above.body is node else above.body
            above = self.tree.parent(above) if is_none(other) else above
        if isinstance(above, cst.Assign):
            targets: list[cst.CSTNode] = [t.target for t in above.targets]
        elif isinstance(above, cst.AnnAssign):
            targets = [above.target]
        else:
            return []
        aliases = []
        for target in targets:
            bindings = self.scopes.binding_at.get(target, [])
            if not bindings or not isinstance(target, cst.Name | cst.Attribute):
                return []
            if isinstance(target, cst.Attribute) and not self.owner_of_attribute(bindings[0]):
                return []
            aliases.extend(bindings)
        return aliases

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
    def bound_to(self) -> dict[cst.CSTNode, list[Binding]]:
        """Every binding that has an expression for its value, by the expression."""
        bound: dict[cst.CSTNode, list[Binding]] = {}
        for bindings in self.scopes.binding_at.values():
            for binding in bindings:
                if binding.value is not None and binding.kind is BindingKind.ASSIGN:
                    bound.setdefault(binding.value, []).append(binding)
        return bound

    @functools.cached_property
    def reads_by_attribute(self) -> dict[str, list[cst.Attribute]]:
        """Every attribute that is read, by its last name."""
        reads: dict[str, list[cst.Attribute]] = {}
        for node in self.scopes.scope_of_read:
            if isinstance(node, cst.Attribute):
                reads.setdefault(node.attr.value, []).append(node)
        return reads

    @functools.cached_property
    def exported(self) -> frozenset[str]:
        """The names in the module's `__all__`."""
        return frozenset(
            str(node.evaluated_value)
            for binding in self.scopes.module.bindings.get("__all__", [])
            for node in self.tree.walk(self.tree.statement(binding.node))
            if isinstance(node, cst.SimpleString)
        )

    def describe(self, occurrence: Occurrence) -> str:
        """Returns the old name as the file spells it."""
        node = occurrence.node
        if isinstance(node, cst.ImportFrom):
            return f"{import_path(node)}.*"
        if isinstance(node, cst.ImportAlias) and occurrence.names:
            return occurrence.names[0].path
        return " ".join(self.tree.slice(occurrence.span).split())

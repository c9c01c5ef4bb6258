# SPDX-License-Identifier: Apache-2.0
"""What an expression is: which dotted path it names, and which kind of object it holds."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping

import libcst as cst

from lossscale_codemods import names
from lossscale_codemods.bindings import Binding, BindingKind, Scope, class_of_self
from lossscale_codemods.names import Meaning
from lossscale_codemods.scopes import Scopes
from lossscale_codemods.tree import dotted

RelativeImports = Callable[[str], str | None]
"""Turns the dotted path of an import from the project into one outside of it, if it is known."""


class Kind(enum.Enum):
    """What kind of object an expression can hold."""

    WRAPPER = "Keras loss-scale optimizer"
    V1_WRAPPER = "v1 loss-scale optimizer"
    KERAS = "Keras optimizer"
    V1 = "v1 optimizer"
    POLICY = "policy"
    LOSS_SCALE = "loss scale object"
    NOTHING = "None"
    OTHER = "something else"
    UNKNOWN = "unknown"


_KINDS = {
    Meaning.OPTIMIZER: Kind.WRAPPER,
    Meaning.POLICY: Kind.POLICY,
    Meaning.GLOBAL_POLICY: Kind.POLICY,
    Meaning.LAYER_POLICY: Kind.POLICY,
    Meaning.FIXED: Kind.LOSS_SCALE,
    Meaning.DYNAMIC: Kind.LOSS_SCALE,
    Meaning.LOSS_SCALE: Kind.LOSS_SCALE,
    Meaning.V1_OPTIMIZER: Kind.V1_WRAPPER,
}
_STAR_STEPS = ("keras", "train", "compat", "mixed_precision", "experimental", "optimizers")


def is_none(node: cst.CSTNode | None) -> bool:
    """Whether an expression is `None`."""
    return isinstance(node, cst.Name) and node.value == "None"


class Resolver:
    """Answers for the expressions of one file.

    Args:
        scopes: The file's scopes.
        moved: Bindings that will import or hold something else, with its path.
        relative: Knows what relative imports give.
    """

    def __init__(
        self,
        scopes: Scopes,
        moved: Mapping[Binding, str] | None = None,
        relative: RelativeImports | None = None,
    ) -> None:
        self.scopes = scopes
        self.moved = moved or {}
        self.relative = relative
        self._paths: dict[cst.CSTNode, frozenset[str | None]] = {}
        self._kinds: dict[cst.CSTNode, frozenset[Kind]] = {}
        self._wrapped: set[Binding] | None = None

    def with_moved(self, moved: Mapping[Binding, str]) -> Resolver:
        """Returns a resolver for the file as it will be."""
        return Resolver(self.scopes, moved, self.relative)

    def bindings(self, node: cst.CSTNode) -> frozenset[Binding]:
        """Returns the bindings that a name, or a name's attribute, can have here."""
        found = self.scopes.reaching.get(node)
        if found is None and isinstance(node, cst.Attribute):
            owner = self._class_of(node.value)
            if owner is not None:
                return frozenset(owner.attributes.get(node.attr.value, ()))
        return found or frozenset()

    def _in_class_body(self, node: cst.Attribute) -> frozenset[Binding]:
        """Returns what the class body gives to an attribute of `self`."""
        owner = self._class_of(node.value)
        return frozenset(owner.bindings.get(node.attr.value, ())) if owner else frozenset()

    def _class_of(self, node: cst.BaseExpression) -> Scope | None:
        scope = self.scopes.scope_of_read.get(node)
        return class_of_self(node, scope) if scope is not None else None

    def paths(self, node: cst.CSTNode) -> frozenset[str | None]:
        """Returns the dotted paths that an expression can name; `None` stands for anything else."""
        known = self._paths.get(node)
        if known is None:
            self._paths[node] = frozenset()  # A name that depends on itself adds nothing.
            known = self._find_paths(node)
            self._paths[node] = known
        return known

    def _find_paths(self, node: cst.CSTNode) -> frozenset[str | None]:
        if isinstance(node, cst.Name):
            if node.value == "None":
                return frozenset()
            bindings = self.bindings(node)
            if not bindings:
                return self._star_paths(node)
            return self._union(self.binding_paths(b) for b in bindings)
        if isinstance(node, cst.Attribute):
            bindings = self.bindings(node)
            if node not in self.scopes.reaching:
                bindings |= self._in_class_body(node)
            if bindings:
                return self._union(self.binding_paths(b) for b in bindings)
            above = self.paths(node.value)
            return frozenset(
                None if p is None else self._outside(f"{p}.{node.attr.value}") for p in above
            )
        if isinstance(node, cst.IfExp):
            return self.paths(node.body) | self.paths(node.orelse)
        if isinstance(node, cst.BooleanOperation):
            return self.paths(node.left) | self.paths(node.right)
        if isinstance(node, cst.NamedExpr):
            return self.paths(node.value)
        return frozenset([None])

    def _outside(self, path: str) -> str:
        """Returns the path outside of the project, if a path is one within it."""
        if self.relative is None or names.is_framework(path):
            return path
        return self.relative(path) or path

    @staticmethod
    def _union(sets: Iterable[frozenset[str | None]]) -> frozenset[str | None]:
        return frozenset().union(*sets)

    def binding_paths(self, binding: Binding) -> frozenset[str | None]:
        """Returns the dotted paths that a binding can give its name."""
        if binding in self.moved:
            return frozenset([self.moved[binding]])
        if binding.kind is BindingKind.IMPORT and binding.path is not None:
            return frozenset([self._outside(binding.path)])
        if binding.kind is BindingKind.ASSIGN and binding.value is not None:
            return self.paths(binding.value)
        return frozenset([None])

    def _star_paths(self, node: cst.Name) -> frozenset[str | None]:
        found: set[str | None] = set()
        scope: Scope | None = self.scopes.scope_of_read.get(node, self.scopes.module)
        while scope is not None:
            for star in scope.stars:
                path = f"{star.path}.{node.value}"
                known = names.lookup(path)
                old = known is not None
                if star in self.moved and known is not None:
                    home = self.moved[star]
                    compat = home.startswith("compat_lossscale") or not known.new
                    path = f"{home}.{node.value}" if compat else known.new[0]
                if old or (str(star.path).startswith("tensorflow") and node.value in _STAR_STEPS):
                    found.add(path)
            scope = scope.parent
        return frozenset(found or {None})

    def path(self, node: cst.CSTNode) -> str | None:
        """Returns the one path an expression names, if there is just one."""
        found = self.paths(node)
        return next(iter(found)) if len(found) == 1 else None

    def kinds(self, node: cst.CSTNode) -> frozenset[Kind]:
        """Returns the kinds of object that an expression can hold."""
        known = self._kinds.get(node)
        if known is None:
            self._kinds[node] = frozenset()
            known = self._find_kinds(node)
            self._kinds[node] = known
        return known

    def is_wrapper(self, node: cst.CSTNode) -> bool:
        """Whether an expression is proven to be a Keras loss-scale optimizer.

        It may also be `None` or an optimizer on other ways through the program: there, what old
        code does with a loss-scale optimizer raised an error before and does so after.
        """
        return self._is_proven(node, Kind.WRAPPER)

    def is_policy(self, node: cst.CSTNode) -> bool:
        """Whether an expression is proven to be a policy."""
        return self._is_proven(node, Kind.POLICY)

    def _is_proven(self, node: cst.CSTNode, kind: Kind) -> bool:
        found = self.kinds(node)
        return kind in found and found <= {kind, Kind.NOTHING, Kind.KERAS, Kind.V1, Kind.OTHER}

    def _find_kinds(self, node: cst.CSTNode) -> frozenset[Kind]:
        if is_none(node):
            return frozenset([Kind.NOTHING])
        if isinstance(node, cst.Name):
            return self._union_kinds(self._binding_kinds(b) for b in self.bindings(node))
        if isinstance(node, cst.Attribute):
            bindings = self.bindings(node)
            if bindings:
                return self._union_kinds(self._binding_kinds(b) for b in bindings)
            if node.attr.value in {"dtype_policy", "_dtype_policy"}:
                return frozenset([Kind.POLICY])
            return frozenset([Kind.UNKNOWN])
        if isinstance(node, cst.IfExp):
            return self.kinds(node.body) | self.kinds(node.orelse)
        if isinstance(node, cst.BooleanOperation):
            return self.kinds(node.left) | self.kinds(node.right)
        if isinstance(node, cst.NamedExpr):
            return self.kinds(node.value)
        if isinstance(node, cst.Call):
            return self._call_kinds(node)
        if isinstance(node, cst.BaseNumber | cst.BaseString | cst.List | cst.Dict | cst.Tuple):
            return frozenset([Kind.OTHER])
        return frozenset([Kind.UNKNOWN])

    @staticmethod
    def _union_kinds(sets: Iterable[frozenset[Kind]]) -> frozenset[Kind]:
        return frozenset().union(*sets) or frozenset([Kind.UNKNOWN])

    def _binding_kinds(self, binding: Binding) -> frozenset[Kind]:
        if binding.value is not None:
            if binding.kind is BindingKind.ASSIGN:
                found = self.kinds(binding.value)
            else:
                found = self._class_kinds(binding.value)
        else:
            found = frozenset([Kind.UNKNOWN])
        if Kind.UNKNOWN in found and binding in self._wrapped_bindings():
            # Only an optimizer can be wrapped, so that is what it holds.
            return (found - {Kind.UNKNOWN}) | {Kind.KERAS}
        return found

    def _class_kinds(self, node: cst.BaseExpression) -> frozenset[Kind]:
        """Returns the kinds of the instances of a class, or of a tuple of classes."""
        if isinstance(node, cst.Tuple):
            return self._union_kinds(self._class_kinds(e.value) for e in node.elements)
        if isinstance(node, cst.SimpleString):
            text = node.evaluated_value
            return self._path_kinds(self.string_paths(str(text), node))
        if isinstance(node, cst.Subscript) and dotted(node.value) in {
            "Optional",
            "typing.Optional",
            "t.Optional",
        }:
            inner = node.slice[0].slice
            if isinstance(inner, cst.Index):
                return self._class_kinds(inner.value) | {Kind.NOTHING}
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.BitOr):
            return self._class_kinds(node.left) | self._class_kinds(node.right)
        if is_none(node):
            return frozenset([Kind.NOTHING])
        return self._path_kinds(self.paths(node))

    def string_paths(self, text: str, node: cst.CSTNode) -> frozenset[str | None]:
        """Returns the paths of a dotted name that stands in a string annotation."""
        root, *rest = text.split(".")
        bindings = self.scopes.lookup(root, self.scopes.scope_of(node))
        found = self._union(self.binding_paths(b) for b in bindings) or frozenset([None])
        return frozenset(p if p is None else ".".join([p, *rest]) for p in found)

    def _path_kinds(self, paths: frozenset[str | None]) -> frozenset[Kind]:
        found = set()
        for path in paths:
            kind = Kind.UNKNOWN
            if path is not None:
                old = names.lookup(path)
                if old is not None:
                    kind = _KINDS.get(old.meaning, Kind.UNKNOWN)
                elif names.is_new_optimizer(path):
                    kind = Kind.WRAPPER
                elif names.is_keras_optimizer(path):
                    kind = Kind.KERAS
                elif names.is_v1_optimizer(path):
                    kind = Kind.V1
                elif names.canonical(path).endswith("keras.mixed_precision.Policy"):
                    kind = Kind.POLICY
            found.add(kind)
        return frozenset(found)

    def _call_kinds(self, node: cst.Call) -> frozenset[Kind]:
        found: set[Kind] = set()
        for path in self.paths(node.func):
            if path is None:
                found |= self._local_call_kinds(node.func)
                continue
            old = names.lookup(path)
            rewrite = old is not None and old.meaning is Meaning.REWRITE
            if rewrite or names.is_rewrite_of_today(path):
                inner = self.kinds(node.args[0].value) if node.args else frozenset()
                found |= {
                    Kind.WRAPPER if k is Kind.KERAS else Kind.V1_WRAPPER if k is Kind.V1 else k
                    for k in inner
                }
            elif names.is_horovod_wrapper(path) and node.args:
                inner = self.kinds(node.args[0].value)
                found |= {k if k in (Kind.KERAS, Kind.V1) else Kind.UNKNOWN for k in inner}
            else:
                found |= self._path_kinds(frozenset([path]))
        return frozenset(found) or frozenset([Kind.UNKNOWN])

    def _local_call_kinds(self, func: cst.BaseExpression) -> frozenset[Kind]:
        """Returns what calling a function or class of this file gives."""
        found: set[Kind] = set()
        for binding in self.bindings(func):
            if isinstance(binding.node, cst.FunctionDef):
                found |= self._return_kinds(binding.node)
            elif isinstance(binding.node, cst.ClassDef):
                found |= self._subclass_kinds(binding.node)
            else:
                found.add(Kind.UNKNOWN)
        return frozenset(found) or frozenset([Kind.UNKNOWN])

    def _return_kinds(self, function: cst.FunctionDef) -> frozenset[Kind]:
        if function.decorators or function.asynchronous is not None:
            return frozenset([Kind.UNKNOWN])
        found: set[Kind] = set()
        inner = self.scopes.of_node[function]
        for node in self.scopes.tree.walk(function.body):
            if isinstance(node, cst.Yield):
                return frozenset([Kind.UNKNOWN])
            if isinstance(node, cst.Return) and self.scopes.scope_of(node) is inner:
                if node.value is None:
                    found.add(Kind.NOTHING)
                else:
                    found |= self.kinds(node.value)
        return frozenset(found) or frozenset([Kind.NOTHING])

    def _subclass_kinds(self, node: cst.ClassDef) -> frozenset[Kind]:
        for base in node.bases:
            kinds = self._path_kinds(self.paths(base.value))
            if kinds <= {Kind.KERAS, Kind.V1}:
                return kinds
        return frozenset([Kind.UNKNOWN])

    def _wrapped_bindings(self) -> set[Binding]:
        """The bindings whose value is somewhere given to a loss-scale optimizer to wrap."""
        if self._wrapped is None:
            self._wrapped = set()
            for node in self.scopes.tree.parents:
                if isinstance(node, cst.Call) and node.args:
                    inner = optimizer_argument(node)
                    if (
                        inner is not None
                        and isinstance(inner.value, cst.Name | cst.Attribute)
                        and Kind.WRAPPER in self._path_kinds(self.paths(node.func))
                    ):
                        self._wrapped |= self.bindings(inner.value)
        return self._wrapped


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

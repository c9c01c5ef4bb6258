# SPDX-License-Identifier: Apache-2.0
"""A glance at a program: whether an old name can stand in it at all.

Comments and strings are left to `mentions.py`. Scopes and the order of statements are left aside:
a name, or an attribute, stands for everything that is bound to it anywhere in the file. What a full
look finds is therefore always among what this one sees, and where this one sees nothing, none is
needed.
"""

from __future__ import annotations

import ast
import functools
import itertools
import re
from typing import TYPE_CHECKING

from lossscale_codemods.vocabulary import frameworks, names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lossscale_codemods.prescan.ast_index import Nodes

_LONGEST_PATH = 12
"""Longer paths come of names that are bound to members of themselves: `tf = tf.compat.v1`."""
_ROUNDS = 10
_NEW_CLASSES = (".LossScaleOptimizer", ".Policy")
"""What the ends of paths are from which objects with a loss scale come today."""
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


class _CannotTellError(Exception):
    """Only a full look can tell."""


def old_name_can_stand(
    nodes: Nodes, text: str, relative: Callable[[str], str | None] | None = None
) -> bool:
    """Whether an old name can stand in a program, outside of comments and other strings.

    Args:
        nodes: All nodes of the program.
        text: Its text.
        relative: Turns the dotted path of a relative import into an absolute one, if it is known.
    """
    try:
        return _Glance(nodes, text, relative).sees_old_name()
    except (_CannotTellError, RecursionError):
        return True


class _Glance:
    def __init__(
        self,
        nodes: Nodes,
        text: str,
        relative: Callable[[str], str | None] | None,
    ) -> None:
        self.nodes = nodes
        self.knows_policies = "dtype_policy" in text or "Policy" in text
        self.knows_optimizers = False
        self.reads_of_others: set[ast.expr] = set()
        self.relative = relative
        self.paths: dict[str, set[str]] = {}
        self.stars: list[str] = []
        self.bound: list[tuple[str, ast.expr]] = []
        self.imported: set[str] = set()

    def sees_old_name(self) -> bool:
        for node in self.nodes.of(ast.Import):
            self._import(node)
        for from_import in self.nodes.of(ast.ImportFrom):
            self._import_from(from_import)
        for assignment in self.nodes.of(ast.Assign):
            for target in assignment.targets:
                self._bind(target, assignment.value)
        for annotated in self.nodes.of(ast.AnnAssign):
            self._bind(annotated.target, annotated.value)
        for walrus in self.nodes.of(ast.NamedExpr):
            self._bind(walrus.target, walrus.value)
        self._settle()
        strings = list(self._annotation_strings())
        self.knows_optimizers = self._knows_optimizers(strings)
        self.reads_of_others = set(self._reads_of_others())
        return (
            any(map(_is_old, self.imported))
            or any(map(self._reads_old_attribute, self.nodes.of(ast.Attribute)))
            or any(map(self._can_be_old, self.nodes.of(ast.Name)))
            or any(map(self._can_be_old, self.nodes.of(ast.Attribute)))
            or any(map(self._is_old_call, self.nodes.of(ast.Call)))
            or any(map(self._is_old_key, self.nodes.of(ast.Subscript)))
            or any(map(_is_old_comparison, self.nodes.of(ast.Compare)))
            or any(map(self._names_old, strings))
        )

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.imported.add(alias.name)
            root = alias.name.partition(".")[0]
            self._add(alias.asname or root, alias.name if alias.asname else root)

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name == "*":
                self.imported.add(module)
                self.stars.append(module)
                continue
            path = module + alias.name if module.endswith(".") else f"{module}.{alias.name}"
            self.imported.add(path)
            self._add(alias.asname or alias.name, path)

    def _bind(self, target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            if isinstance(value, ast.Tuple | ast.List):
                for inner, part in zip(target.elts, value.elts, strict=False):
                    self._bind(inner, part)
        elif isinstance(value, ast.Name | ast.Attribute | ast.IfExp | ast.BoolOp | ast.NamedExpr):
            name = _last_word(target)
            if name is not None:
                self.bound.append((name, value))

    def _settle(self) -> None:
        """Follows assignments until nothing new is found."""
        for _ in range(_ROUNDS):
            before = sum(map(len, self.paths.values()))
            for name, value in self.bound:
                for path in list(self._paths_of(value)):
                    self._add(name, path)
            if sum(map(len, self.paths.values())) == before:
                return
        raise _CannotTellError

    def _outside(self, path: str) -> str:
        """Returns the path outside of the project, if a path is one within it."""
        if self.relative is None or frameworks.is_framework(path):
            return path
        return self.relative(path) or path

    def _add(self, name: str, path: str) -> None:
        path = self._outside(path)
        leads_on = not frameworks.is_framework(path) or names.can_lead_to_old_name(path)
        if leads_on or _is_old(path) or path.endswith(_NEW_CLASSES):
            if path.count(".") > _LONGEST_PATH:
                raise _CannotTellError
            self.paths.setdefault(name, set()).add(path)

    def _paths_of(self, node: ast.expr) -> set[str]:
        if isinstance(node, ast.Name):
            found = self.paths.get(node.id, set())
            return found | {f"{star}.{node.id}" for star in self.stars} if self.stars else found
        if isinstance(node, ast.Attribute):
            above = self._paths_of(node.value)
            found = self.paths.get(node.attr, set())
            if not above:
                return found
            return found | {self._outside(f"{path}.{node.attr}") for path in above}
        if isinstance(node, ast.IfExp):
            return self._paths_of(node.body) | self._paths_of(node.orelse)
        if isinstance(node, ast.BoolOp):
            return set().union(*map(self._paths_of, node.values))
        if isinstance(node, ast.NamedExpr):
            return self._paths_of(node.value)
        return set()

    def _can_be_old(self, node: ast.Name | ast.Attribute) -> bool:
        return any(map(_is_old, self._paths_of(node)))

    def _is_old_call(self, node: ast.Call) -> bool:
        return (
            self._calls_loss_scale(node)
            or _tests_for_old_module(node)
            or (len(node.args) + len(node.keywords) > 1 and self._is_new_optimizer(node.func))
        )

    def _is_old_key(self, node: ast.Subscript) -> bool:
        read = node.value.func if isinstance(node.value, ast.Call) else None
        return self.knows_optimizers and read is not None and _last_word(read) == "get_config"

    def _is_new_optimizer(self, node: ast.expr) -> bool:
        return any(map(frameworks.is_new_optimizer, self._paths_of(node)))

    def _knows_optimizers(self, annotations: Iterable[str]) -> bool:
        """Whether an object in the file can be a loss-scale optimizer under its name of today."""
        last = names.NEW_OPTIMIZER_MEMBER
        return (
            any(
                map(frameworks.is_new_optimizer, itertools.chain.from_iterable(self.paths.values()))
            )
            or any(last in text for text in annotations)
            or any(
                _last_word(node) == last and self._is_new_optimizer(node)
                for kind in (ast.Name, ast.Attribute)
                for node in self.nodes.of(kind)
            )
        )

    def _reads_old_attribute(self, node: ast.Attribute) -> bool:
        above = _last_word(node.value)
        if node.attr == "experimental":
            return above in {"train", "mixed_precision"}
        if above in {"loss_scale", "_loss_scale"}:
            distinct = node.attr in {"_current_loss_scale", "_num_good_steps"}
            return distinct or self.knows_optimizers
        if node.attr == "_optimizer":
            return self.knows_optimizers
        if node.attr == "loss_scale":
            return self.knows_policies and node not in self.reads_of_others
        return node.attr == "should_cast_variables"

    def _reads_of_others(self) -> Iterator[ast.expr]:
        """Yields what is read first of all where a test has just said that it is of no policy.

        Keras itself does so: `if isinstance(policy, PolicyV1): loss_scale = policy.loss_scale`.
        """
        for node in self.nodes.of(ast.If):
            match node:
                case ast.If(
                    test=ast.Call(
                        func=ast.Name("isinstance"),
                        args=[tested, ast.Name() | ast.Attribute() as kind],
                        keywords=[],
                    ),
                    body=[ast.Assign(value=ast.Attribute(value=owner) as read), *_],
                ) if ast.dump(tested) == ast.dump(owner) and not self._can_be_policy(kind):
                    yield read

    def _can_be_policy(self, kind: ast.Name | ast.Attribute) -> bool:
        paths = self._paths_of(kind)
        return any(_is_old(path) or path.endswith(".Policy") for path in paths)

    def _calls_loss_scale(self, node: ast.Call) -> bool:
        """Whether a call is `opt.loss_scale()`."""
        if node.args or node.keywords or not isinstance(node.func, ast.Attribute):
            return False
        if node.func.attr not in {"loss_scale", "_loss_scale"}:
            return False
        return self.knows_optimizers or "opt" in (_last_word(node.func.value) or "").lower()

    def _annotation_strings(self) -> Iterator[str]:
        annotations = [
            *(node.returns for node in self.nodes.of(ast.FunctionDef)),
            *(node.returns for node in self.nodes.of(ast.AsyncFunctionDef)),
            *(node.annotation for node in self.nodes.of(ast.arg)),
            *(node.annotation for node in self.nodes.of(ast.AnnAssign)),
        ]
        for annotation in annotations:
            for node in ast.walk(annotation) if annotation is not None else ():
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value

    def _names_old(self, annotation: str) -> bool:
        """Whether an annotation that is a string names something old."""
        for match in _DOTTED.finditer(annotation):
            root, _, rest = match.group().partition(".")
            for path in self.paths.get(root, ()):
                if _is_old(f"{path}.{rest}" if rest else path):
                    return True
        return False


def _last_word(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else None


@functools.lru_cache(maxsize=4096)
def _is_old(path: str) -> bool:
    return names.lookup(path) is not None or frameworks.is_rewrite_of_today(path)


def _is_old_comparison(node: ast.Compare) -> bool:
    """Whether a comparison is `type(opt).__name__ == "LossScaleOptimizerV1"`."""
    return any(
        isinstance(operand, ast.Constant) and operand.value in names.OLD_CLASS_NAMES
        for operand in (node.left, *node.comparators)
    )


def _tests_for_old_module(node: ast.Call) -> bool:
    """Whether a call is `hasattr(mixed_precision, "experimental")`."""
    return _last_word(node.func) in {"getattr", "hasattr"} and any(
        isinstance(argument, ast.Constant) and argument.value == "experimental"
        for argument in node.args
    )

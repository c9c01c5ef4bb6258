# SPDX-License-Identifier: Apache-2.0
"""What the names in a program can stand for, found quickly and with too many answers.

Scopes and the order of statements are left aside: a name, or an attribute, stands for everything
that is bound to it anywhere in the file. So what name resolution finds in a full parse is always
among what is found here.
"""

from __future__ import annotations

import ast
import functools
import re
from typing import TYPE_CHECKING

from lossscale_codemods.vocabulary import frameworks, names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lossscale_codemods.analysis.ast_index import Nodes

_LONGEST_PATH = 12
"""Longer paths come of names that are bound to members of themselves: `tf = tf.compat.v1`."""
_ROUNDS = 10
_NEW_CLASSES = (".LossScaleOptimizer", ".Policy")
"""What the ends of paths are from which objects with a loss scale come today."""
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


class CannotTellError(Exception):
    """Only a full parse can tell."""


class ApproximateNames:
    """The names of one program.

    Args:
        nodes: All nodes of the program.
        relative: Turns the dotted path of a relative import into an absolute one, if it is known.

    Raises:
        CannotTellError: Names are bound to members of each other, so that their paths have no end.
    """

    def __init__(self, nodes: Nodes, relative: Callable[[str], str | None] | None) -> None:
        self.nodes = nodes
        self.relative = relative
        self.paths: dict[str, set[str]] = {}
        self.stars: list[str] = []
        self.bound: list[tuple[str, ast.expr]] = []
        self.imported: set[str] = set()
        for node in nodes.of(ast.Import):
            self._import(node)
        for from_import in nodes.of(ast.ImportFrom):
            self._import_from(from_import)
        for assignment in nodes.of(ast.Assign):
            for target in assignment.targets:
                self._bind(target, assignment.value)
        for annotated in nodes.of(ast.AnnAssign):
            self._bind(annotated.target, annotated.value)
        for walrus in nodes.of(ast.NamedExpr):
            self._bind(walrus.target, walrus.value)
        self._settle()

    @functools.cached_property
    def every_path(self) -> frozenset[str]:
        """The paths of all that is imported, read or named in an annotation."""
        every = set(self.imported)
        for kind in (ast.Name, ast.Attribute):
            for node in self.nodes.of(kind):
                every |= self.paths_of(node)
        for annotation in self.annotation_strings:
            every.update(self._paths_in(annotation))
        return frozenset(every)

    @functools.cached_property
    def has_old_name(self) -> bool:
        """Whether an old name can be in the program, outside of comments and other strings."""
        return any(names.lookup(path) is not None for path in self.every_path)

    @property
    def _can_ask_others(self) -> bool:
        """Whether it is one of a project's files, and not one for PyTorch or the like."""
        every = (self.imported, self.stars, *self.paths.values())
        return self.relative is not None and (
            not any(frameworks.is_other_framework(path) for paths in every for path in paths)
            or any(frameworks.is_framework(path) for paths in every for path in paths)
        )

    @functools.cached_property
    def has_optimizer(self) -> bool:
        """Whether an object in it can be a loss-scale optimizer, also one from another file."""
        return (
            self._can_ask_others
            or self.has_new_class
            or any(names.NEW_OPTIMIZER_MEMBER in text for text in self.annotation_strings)
        )

    @functools.cached_property
    def has_new_class(self) -> bool:
        """Whether it names the class of loss-scale optimizers of today, outside of strings."""
        last = names.NEW_OPTIMIZER_MEMBER
        return any(map(frameworks.is_new_optimizer, set().union(*self.paths.values()))) or any(
            last_word(node) == last and self.is_new_optimizer(node)
            for kind in (ast.Name, ast.Attribute)
            for node in self.nodes.of(kind)
        )

    @functools.cached_property
    def annotation_strings(self) -> tuple[str, ...]:
        """The strings in annotations."""
        return tuple(self._annotation_strings())

    def is_new_optimizer(self, node: ast.expr) -> bool:
        """Whether an expression can be the class of loss-scale optimizers of today."""
        return any(map(frameworks.is_new_optimizer, self.paths_of(node)))

    def paths_of(self, node: ast.expr) -> set[str]:
        """Returns the dotted paths that an expression can name."""
        if isinstance(node, ast.Name):
            own = self.paths.get(node.id, set())
            return own | {self._outside(f"{star}.{node.id}") for star in self.stars}
        if isinstance(node, ast.Attribute):
            above = self.paths_of(node.value)
            own = self.paths.get(node.attr, set())
            if not above:
                return own
            return own | {self._outside(f"{path}.{node.attr}") for path in above}
        if isinstance(node, ast.IfExp):
            return self.paths_of(node.body) | self.paths_of(node.orelse)
        if isinstance(node, ast.BoolOp):
            return set().union(*map(self.paths_of, node.values))
        if isinstance(node, ast.NamedExpr):
            return self.paths_of(node.value)
        if isinstance(node, ast.Call):
            return self._paths_of_call(node)
        return set()

    def _paths_of_call(self, node: ast.Call) -> set[str]:
        """Returns the paths of what `import_module` and `getattr` look up by a name."""
        texts = [a.value if isinstance(a, ast.Constant) else None for a in node.args]
        if len(texts) == 1 and isinstance(texts[0], str):
            return {texts[0]} if last_word(node.func) not in {None, "getattr"} else set()
        if len(texts) == 2 and isinstance(texts[1], str) and last_word(node.func) == "getattr":
            return {f"{path}.{texts[1]}" for path in self.paths_of(node.args[0])}
        return set()

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
        elif isinstance(
            value, ast.Name | ast.Attribute | ast.IfExp | ast.BoolOp | ast.NamedExpr | ast.Call
        ):
            name = last_word(target)
            if name is not None:
                self.bound.append((name, value))

    def _settle(self) -> None:
        """Follows assignments until nothing new is found."""
        for _ in range(_ROUNDS):
            before = sum(map(len, self.paths.values()))
            for name, value in self.bound:
                for path in list(self.paths_of(value)):
                    self._add(name, path)
            if sum(map(len, self.paths.values())) == before:
                return
        raise CannotTellError

    def _outside(self, path: str) -> str:
        """Returns the path outside of the project, if a path is one within it."""
        if self.relative is None or frameworks.is_framework(path):
            return path
        return self.relative(path) or path

    def _add(self, name: str, path: str) -> None:
        path = self._outside(path)
        leads_on = not frameworks.is_framework(path) or names.can_lead_to_old_name(path)
        if leads_on or _matters(path) or path.endswith(_NEW_CLASSES):
            if path.count(".") > _LONGEST_PATH:
                raise CannotTellError
            self.paths.setdefault(name, set()).add(path)

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

    def _paths_in(self, annotation: str) -> Iterator[str]:
        """Yields what the names in an annotation that is a string can stand for."""
        for match in _DOTTED.finditer(annotation):
            root, _, rest = match.group().partition(".")
            for path in self.paths.get(root, ()):
                yield f"{path}.{rest}" if rest else path


def last_word(node: ast.expr) -> str | None:
    """Returns the last name of a dotted expression."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else None


@functools.lru_cache(maxsize=4096)
def _matters(path: str) -> bool:
    return names.lookup(path) is not None or frameworks.is_rewrite_of_today(path)

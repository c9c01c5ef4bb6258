# SPDX-License-Identifier: Apache-2.0
"""Which statements of a program have a part in a value: a backward slice, by names alone.

It takes every variable and attribute of one name for the same, in all files of the program, and
asks neither for order nor for branches. So it may be too large, and misses little.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_COMPOUND = (
    ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.FunctionDef,
    ast.AsyncFunctionDef, ast.ClassDef, ast.Match,
)  # fmt: skip
_BUILT_IN = frozenset(dir(builtins))
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclasses.dataclass(eq=False)
class Statement:
    """A simple statement, or the header of a compound one.

    Attributes:
        file: The file it stands in.
        lines: Its lines.
        reads: Names and attributes that it reads.
        binds: Names and attributes that it binds or changes.
        around: The headers around it, the innermost first.
        gives: Names that it gives to functions and methods.
        sets_globally: Whether it is a call of something imported, whose value nobody takes.
    """

    file: str
    lines: range
    reads: frozenset[str]
    binds: frozenset[str]
    around: tuple[Statement, ...]
    sets_globally: bool = False
    gives: frozenset[str] = frozenset()


class Statements:
    """The statements of all files of a program."""

    def __init__(self, files: Mapping[str, str]) -> None:
        """Reads the files.

        Args:
            files: Their texts, by their paths.
        """
        self._all: list[Statement] = []
        self._imported: set[str] = set()
        self._called: set[str] = set()
        trees = {file: ast.parse(text) for file, text in files.items()}
        for tree in trees.values():
            for node in ast.walk(tree):
                if isinstance(node, (ast.Import, ast.ImportFrom)):
                    self._imported |= _imported(node)
                elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    self._called.add(node.func.id)
        for file, tree in trees.items():
            for body in tree.body:
                self._add(file, body, ())

    def at(self, file: str, lines: Iterable[int]) -> list[Statement]:
        """Returns the statements at these lines of a file."""
        wanted = set(lines)
        return [one for one in self._all if one.file == file and not wanted.isdisjoint(one.lines)]

    def binding(self, name: str) -> list[Statement]:
        """Returns the statements that bind a name."""
        return [one for one in self._all if name in one.binds]

    def giving(self, name: str) -> list[Statement]:
        """Returns the statements that give a name to a function or method, which may keep it."""
        return [one for one in self._all if name in one.gives]

    def setting_globally(self) -> list[Statement]:
        """Returns the calls of imported functions whose value nobody takes."""
        return [one for one in self._all if one.sets_globally]

    def behind(self, start: Iterable[Statement]) -> list[Statement]:
        """Returns what has a part in some statements, themselves included."""
        found: dict[Statement, None] = {}
        names: set[str] = set()
        waiting = [*start, *self.setting_globally()]
        while waiting:
            one = waiting.pop()
            if one in found:
                continue
            found[one] = None
            waiting += one.around
            new = one.reads - names
            names |= new
            waiting += [
                other
                for other in self._all
                if other not in found and not new.isdisjoint(other.binds)
            ]
        return list(found)

    def _add(self, file: str, node: ast.stmt, around: tuple[Statement, ...]) -> None:
        if not isinstance(node, _COMPOUND):
            self._all.append(self._statement(file, node, [node], around))
            return
        blocks = list(_blocks(node))
        first = min(block[0].lineno for block in blocks)
        header = [child for child in ast.iter_child_nodes(node) if not _is_in(child, blocks)]
        start = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
        made = self._statement(file, node, header, around)
        made.lines = range(start, max(first, start + 1))
        self._all.append(made)
        inside = (made, *around)
        for block in blocks:
            before = len(self._all)
            for child in block:
                self._add(file, child, inside)
            if isinstance(node, _DEFINITIONS):
                # Whoever uses the function or class has all of it.
                for one in self._all[before:]:
                    one.binds |= {node.name}
            if isinstance(node, ast.Try) and block is node.body:
                # What is done in the handlers depends on what fails in the body.
                made.reads = made.reads.union(*(one.reads for one in self._all[before:]))

    def _statement(
        self, file: str, node: ast.stmt, parts: list[ast.AST], around: tuple[Statement, ...]
    ) -> Statement:
        reads, binds = set(), set()
        for part in parts:
            for one in ast.walk(part):
                name, context = _name(one)
                if name:
                    (binds if isinstance(context, (ast.Store, ast.Del)) else reads).add(name)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            binds |= _imported(node)
        elif isinstance(node, _DEFINITIONS):
            binds.add(node.name)
        sets_globally = isinstance(node, ast.Expr) and self._is_of_import(node.value)
        reads -= _BUILT_IN
        # A call may change what it is a method of and, if nobody takes its value, what it is given;
        # an assignment changes what it assigns to a part of.
        changed = [node] if isinstance(node, ast.Expr) else _changed(node, parts)
        if isinstance(node, ast.Assign) and not binds.isdisjoint(self._called):
            changed.append(node.value)  # A method that is called later by another name.
        names = {_name(one)[0] for part in changed for one in ast.walk(part)}
        binds |= names - self._imported - _BUILT_IN - {""}
        last = node.end_lineno or node.lineno
        return Statement(
            file, range(node.lineno, last + 1), frozenset(reads), frozenset(binds), around,
            sets_globally, frozenset(_given(parts)),
        )  # fmt: skip

    def _is_of_import(self, node: ast.expr) -> bool:
        while isinstance(node, (ast.Call, ast.Attribute)):
            node = node.func if isinstance(node, ast.Call) else node.value
        return isinstance(node, ast.Name) and node.id in self._imported


def _changed(node: ast.stmt, parts: list[ast.AST]) -> list[ast.AST]:
    called = [one.func for part in parts for one in ast.walk(part) if isinstance(one, ast.Call)]
    methods = [function.value for function in called if isinstance(function, ast.Attribute)]
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    return [*methods, *(target for target in targets if target is not None)]


def _name(node: ast.AST) -> tuple[str, ast.expr_context | None]:
    if isinstance(node, ast.Name):
        return node.id, node.ctx
    if isinstance(node, ast.Attribute):
        return node.attr, node.ctx
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value, None  # As in getattr(opt, "loss_scale") and table["opt"].
    return "", None


def _given(parts: list[ast.AST]) -> Iterator[str]:
    for part in parts:
        for one in ast.walk(part):
            if isinstance(one, ast.Call):
                yield from (argument.id for argument in one.args if isinstance(argument, ast.Name))


def _imported(node: ast.Import | ast.ImportFrom) -> set[str]:
    return {(alias.asname or alias.name.split(".")[0]) for alias in node.names}


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if block:
            yield block
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body


def _is_in(node: ast.AST, blocks: list[list[ast.stmt]]) -> bool:
    return any(node in block for block in blocks)

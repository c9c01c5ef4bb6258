# SPDX-License-Identifier: Apache-2.0
"""How a new name is written at a place: through which of the names bound there, or a new import."""

from __future__ import annotations

import builtins
import keyword
import re
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import Binding, BindingKind, Scope
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.program import Program
from lossscale_codemods.editing.import_style import from_imports
from lossscale_codemods.vocabulary import names
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_INDENTATION = re.compile(r"^(?: {4})+", re.MULTILINE)
_APART = ("collections.abc", "xml.etree.ElementTree")
"""Modules that are not imported along with the packages they are in."""
_TAKEN = frozenset(dir(builtins)) | frozenset(keyword.kwlist)


class CannotRenderError(Exception):
    """There is no way to write a new name at a place; the message says why."""


class NameRenderer:
    """Writes new names, and collects the imports and helpers that they need.

    Args:
        program: The file.
        moved: Bindings that will import or hold something else, with its path.
        dropped: Bindings that will no longer be there.
    """

    def __init__(
        self, program: Program, moved: Mapping[Binding, str], dropped: Iterable[Binding]
    ) -> None:
        self.program = program
        self.tree = program.tree
        self.after = program.resolver.with_moved(moved)
        self.dropped = set(dropped)
        self.imports: dict[str, str] = {}
        """Paths that must be imported, with the name that each is given."""
        self.helpers: dict[str, str] = {}
        """Functions to be added to the file: source by name."""
        self.first_use = len(program.tree.text)
        """Where the first of these imports and helpers is used."""

    def render(self, occurrence: Occurrence) -> str:
        """Returns the new name for an occurrence.

        Raises:
            CannotRenderError: The old names that it can be have no one spelling in common.
        """
        shared = self._through_shared_prefix(occurrence)
        if shared is not None:
            return shared
        spelled = {
            self._render_one(occurrence, old.new_paths(self.program.target))
            for old in occurrence.names
        }
        if len(spelled) != 1:
            raise CannotRenderError(
                "on different ways through the program it stands for different names, which have "
                "no new name in common"
            )
        return spelled.pop()

    def _through_shared_prefix(self, occurrence: Occurrence) -> str | None:
        """Writes it through a name that stands for several modules, each with the same members."""
        paths = [p for old in occurrence.names for p in old.new_paths(self.program.target)]
        if len(occurrence.names) < 2 or occurrence.role is Role.ANNOTATION_STRING:
            return None
        for node in occurrence.prefixes():
            found = self.after.paths(node)
            rests = [{_rest(module, path) for path in paths} - {None} for module in found]
            if len(found) > 1 and len(set().union(*rests)) == 1 and all(rests):
                return f"{self.tree.source(node)}{set().union(*rests).pop()}"
        return None

    def render_path(self, occurrence: Occurrence, *paths: str) -> str:
        """Returns how one of `paths`, which all mean the same, is written at an occurrence."""
        return self._render_one(occurrence, paths, shortest=True)

    def name_edit(self, occurrence: Occurrence) -> list[Edit]:
        """Returns the edit that puts the new name in place of the old one."""
        text = self.render(occurrence)
        start, end = occurrence.span
        return [] if self.tree.slice((start, end)) == text else [Edit(start, end, text)]

    def _render_one(
        self, occurrence: Occurrence, paths: Sequence[str], *, shortest: bool = False
    ) -> str:
        if not paths:
            raise CannotRenderError("there is no such name any more")
        through_itself = self._through_prefix(occurrence, paths, shortest)
        if through_itself is not None:
            return through_itself
        scope = self.program.scope(occurrence)
        visible = self._through_visible(occurrence, scope, paths)
        if visible is not None:
            return visible
        return self._import(paths[0], occurrence)

    def _through_prefix(
        self, occurrence: Occurrence, paths: Sequence[str], shortest: bool
    ) -> str | None:
        best: tuple[int, str] | None = None
        if occurrence.role is Role.ANNOTATION_STRING:
            prefixes: list[tuple[str, frozenset[str | None]]] = []
            spelled = self.tree.slice(occurrence.span)
            while spelled:
                prefixes.append((spelled, self.after.string_paths(spelled, occurrence.node)))
                spelled = spelled.rpartition(".")[0]
        else:
            prefixes = [(self.tree.source(n), self.after.paths(n)) for n in occurrence.prefixes()]
        for source, found in prefixes:
            for path in paths:
                rests = {rest for p in found if (rest := _rest(p, path)) is not None}
                if len(rests) == 1 and len(found) == 1:
                    rest = rests.pop()
                    cost = len(source + rest) if shortest else len(rest)
                    if best is None or cost < best[0]:
                        best = (cost, source + rest)
        return best[1] if best is not None else None

    def _through_visible(
        self, occurrence: Occurrence, scope: Scope, paths: Sequence[str]
    ) -> str | None:
        best: tuple[int, str] | None = None
        current: Scope | None = scope
        while current is not None:
            if current is scope or not current.is_class:
                for name, bindings in current.bindings.items():
                    if scope.owner(name) is not current or not self._usable(bindings, occurrence):
                        continue
                    found = {p for b in bindings for p in self.after.binding_paths(b)}
                    for path in paths:
                        rest = _rest(next(iter(found)), path) if len(found) == 1 else None
                        if rest is not None and (best is None or len(rest) < best[0]):
                            best = (len(rest), name + rest)
            current = current.parent
        return best[1] if best is not None else None

    def _usable(self, bindings: Sequence[Binding], occurrence: Occurrence) -> bool:
        """Whether imports alone surely bind a name where the occurrence is."""
        if not bindings or any(
            b.kind is not BindingKind.IMPORT or b in self.dropped for b in bindings
        ):
            return False
        above = list(self.tree.ancestors(occurrence.node))
        for binding in bindings:
            statement = self.tree.statement(binding.node)
            block = self.tree.parent(statement)
            first = self.tree.span(statement)[0] < occurrence.span[0]
            in_function = binding.scope is not self.program.scope(occurrence)
            if block in above and (first or in_function):
                return True
        return False

    def _import(self, path: str, occurrence: Occurrence) -> str:
        self._note_use(occurrence)
        if path in self.imports:
            return self.imports[path]
        if path.startswith(f"{names.KERAS_3_HOME}."):
            module = self._import(names.KERAS_3_HOME, occurrence)
            return f"{module}{path.removeprefix(names.KERAS_3_HOME)}"
        if path.startswith("compat_lossscale.") and path != names.KERAS_3_HOME:
            self.imports.setdefault("compat_lossscale", "compat_lossscale")
            return path
        last = path.rsplit(".", 1)[-1]
        name = last
        if self._is_taken(name):
            name = f"{_in_front(path)}_{last}"
        while self._is_taken(name):
            name += "_"
        self.imports[path] = name
        return name

    def _is_taken(self, name: str) -> bool:
        scopes = self.program.scopes.of_node.values()
        return (
            name in _TAKEN
            or name in self.imports.values()
            or any(name in scope.bindings for scope in scopes)
            or any(
                isinstance(node, cst.Name) and node.value == name
                for node in self.program.scopes.scope_of_read
            )
        )

    def _note_use(self, occurrence: Occurrence) -> None:
        self.first_use = min(self.first_use, occurrence.span[0])

    def helper(self, name: str, source: str, occurrence: Occurrence) -> str:
        """Makes sure that the file has a helper function where it is used.

        Args:
            name: The function's name.
            source: Its source.
            occurrence: The old name in whose place it is called.

        Returns:
            Its name.
        """
        self._note_use(occurrence)
        existing = self.program.scopes.module.bindings.get(name, [])
        if existing and all(isinstance(b.node, cst.FunctionDef) for b in existing):
            return name
        self.helpers[name] = source
        return name

    def header_edit(self) -> list[Edit]:
        """Returns the edit that adds the imports and helpers, below the file's own imports."""
        newline = self.tree.newline
        modules: dict[str, list[str]] = {}
        for path, name in sorted(self.imports.items()):
            module, _, member = path.rpartition(".")
            text = member if member == name else f"{member} as {name}"
            modules.setdefault(module, []).append(text)
        lines = [f"import {name}" for name in modules.pop("", [])]
        for module, members in modules.items():
            lines += from_imports(self.tree, module, members)
        text = "".join(line + newline for line in lines)
        for source in self.helpers.values():
            indented = self._as_the_file_indents(source.strip("\n"))
            text += f"{newline}{newline}{indented.replace(chr(10), newline)}{newline}"
        if not text:
            return []
        offset, glue = self._header_offset()
        if self.helpers:
            following = self.tree.text[offset : offset + 2 * len(newline)]
            blank = newline.encode() * 2
            if following and following != blank:
                missing = 1 if following.startswith(newline.encode()) else 2
                text += newline * missing
        return [Edit(offset, offset, glue + text)]

    def _as_the_file_indents(self, source: str) -> str:
        unit = self.tree.module.default_indent
        return _INDENTATION.sub(lambda spaces: unit * (len(spaces[0]) // 4), source)

    def _header_offset(self) -> tuple[int, str]:
        body = self.program.tree.module.body
        last: cst.CSTNode | None = None
        for index, statement in enumerate(body):
            if self.tree.span(statement)[1] > self.first_use:
                break
            if isinstance(statement, cst.SimpleStatementLine):
                smalls = statement.body
                if all(isinstance(s, cst.Import | cst.ImportFrom) for s in smalls):
                    last = statement
                    continue
                is_docstring = (
                    index == 0
                    and isinstance(smalls[0], cst.Expr)
                    and isinstance(smalls[0].value, cst.BaseString)
                )
                if is_docstring:
                    last = statement
                    continue
                if all(
                    isinstance(s, cst.Assign | cst.AnnAssign | cst.Expr | cst.Pass) for s in smalls
                ):
                    # `__version__ = ...`, `sys.path.append(...)` and the like between imports.
                    if any(
                        isinstance(later, cst.SimpleStatementLine)
                        and isinstance(later.body[0], cst.Import | cst.ImportFrom)
                        for later in body[index:]
                    ):
                        continue
                    break
                break
            if isinstance(statement, cst.If | cst.Try) and self._only_imports(statement):
                last = statement
                continue
            break
        if last is None:
            if body:
                return self._line_start_of(body[0]), ""
            return len(self.tree.text), ""
        end = self.tree.line_end(max(self.tree.span(last)[1] - 1, 0))
        glue = "" if self.tree.text[:end].endswith((b"\n", b"\r")) else self.tree.newline
        return end, glue

    def _line_start_of(self, node: cst.CSTNode) -> int:
        return self.tree.line_start(self.tree.span(node)[0])

    def _only_imports(self, statement: cst.CSTNode) -> bool:
        found = [n for n in self.tree.walk(statement) if isinstance(n, cst.BaseSmallStatement)]
        return any(isinstance(n, cst.Import | cst.ImportFrom) for n in found) and all(
            isinstance(n, cst.Import | cst.ImportFrom | cst.Pass | cst.Assign) for n in found
        )


def _in_front(path: str) -> str:
    """Returns what tells a name from another of the file that is spelled the same."""
    if not path.startswith("tensorflow."):
        return path.split(".")[-2] if "." in path else "the"
    return "keras" if ".keras." in path else "v1"


def _rest(path: str | None, wanted: str) -> str | None:
    """Returns what must follow something at `path` to name what is at `wanted`."""
    if path is None:
        return None
    if any(f"{wanted}.".startswith(f"{one}.") and one.startswith(f"{path}.") for one in _APART):
        return None
    for candidate in {path, names.canonical(path)}:
        if wanted == candidate:
            return ""
        if wanted.startswith(candidate + "."):
            return wanted[len(candidate) :]
    return None

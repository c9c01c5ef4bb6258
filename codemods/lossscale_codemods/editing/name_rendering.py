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
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.editing.new_imports import NewImports
from lossscale_codemods.vocabulary import names
from lossscale_codemods.vocabulary.paths import canonical
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lossscale_codemods.analysis.syntax_tree import Tree

_FUNCTION = re.compile(r"tensorflow\.keras\.(?!mixed_precision)\w+\.[a-z_]\w*")
"""Of Keras' modules, functions such as `get` and `mean` say little without the module."""
_APART = ("collections.abc", "wandb.integration.keras", "xml.etree.ElementTree")
"""Modules that are not there by the name of their package until something imports them."""
_OPTIONAL = frozenset({"wandb"})
"""Packages that programs import where they are installed."""
_TAKEN = frozenset(dir(builtins)) | frozenset(keyword.kwlist)


class CannotRenderError(Exception):
    """There is no way to write a new name at a place; the message says why.

    Attributes:
        advice: What to do about it, if that is known.
    """

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.advice = advice


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
        self.after = program.today.with_moved(moved)
        self.dropped = set(dropped)
        self.imported_whole = _imported_whole(program.tree)
        self.apart = [one for one in _APART if one not in self.imported_whole]
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
            modules = self.after.paths(node)
            rests = [{self._rest(module, path) for path in paths} - {None} for module in modules]
            if len(modules) > 1 and len(set().union(*rests)) == 1 and all(rests):
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
        for source, prefix_paths in prefixes:
            for path in paths:
                rests = {rest for p in prefix_paths if (rest := self._rest(p, path)) is not None}
                if len(rests) == 1 and len(prefix_paths) == 1:
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
                    bound_paths = {p for b in bindings for p in self.after.binding_paths(b)}
                    for path in paths:
                        rest = (
                            self._rest(next(iter(bound_paths)), path)
                            if len(bound_paths) == 1
                            else None
                        )
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
        module, _, last = path.rpartition(".")
        package = path.partition(".")[0]
        if package in _OPTIONAL and package not in self.imported_whole:
            raise CannotRenderError(
                f"{module} has to be imported for it, and the file does not import {package} at "
                "its top",
                f"Import {module} where {package} is imported, and write {path}.",
            )
        if _FUNCTION.fullmatch(path):
            return f"{self._import(module, occurrence)}.{last}"
        self._check_old_import(last)
        name = last
        if self._is_taken(name):
            name = f"{_in_front(path)}_{last}"
        while self._is_taken(name):
            name += "_"
        self.imports[path] = name
        return name

    def _check_old_import(self, name: str) -> None:
        """Refuses a second name for what the file imports under this one, in the old way."""
        for binding in self.program.scopes.module.bindings.get(name, ()):
            goes = binding in self.dropped or binding in self.after.moved
            if not goes and names.lookup(binding.path or "") is not None:
                line = self.program.line(binding.node)
                raise CannotRenderError(
                    f"the old {name} is imported on line {line}, and stays for other uses",
                    "Change those uses first, then run again.",
                )

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

    def _rest(self, path: str | None, wanted: str) -> str | None:
        """Returns what must follow something at `path` to name what is at `wanted`."""
        if path is None:
            return None
        if any(
            f"{wanted}.".startswith(f"{one}.") and one.startswith(f"{path}.") for one in self.apart
        ):
            return None
        for candidate in {path, canonical(path)}:
            if wanted == candidate:
                return ""
            if wanted.startswith(candidate + "."):
                return wanted[len(candidate) :]
        return None

    def header_edits(self) -> list[Edit]:
        """Returns the edits that add the imports and helpers."""
        return NewImports(self.tree, self.first_use).edits(self.imports, self.helpers.values())


def _in_front(path: str) -> str:
    """Returns what tells a name from another of the file that is spelled the same."""
    if not path.startswith("tensorflow."):
        return path.split(".")[-2] if "." in path else "the"
    return "keras" if ".keras." in path else "v1"


def _imported_whole(tree: Tree) -> set[str]:
    """Returns the modules that `import a.b` statements of a file's own level load."""
    return {
        dotted(alias.name) or ""
        for line in tree.module.body
        if isinstance(line, cst.SimpleStatementLine)
        for small in line.body
        if isinstance(small, cst.Import)
        for alias in small.names
    }

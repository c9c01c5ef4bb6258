# SPDX-License-Identifier: Apache-2.0
"""How a new name is written at a place: through a name that is bound there, or a new import."""

from __future__ import annotations

import builtins
import keyword
import operator
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence

import libcst as cst

from lossscale_codemods.domain.program import Occurrence, Program
from lossscale_codemods.python import Binding, BindingKind, Scope, import_path
from lossscale_codemods.source.syntax_tree import Tree, dotted
from lossscale_codemods.tables import names
from lossscale_codemods.tables.names import canonical
from lossscale_codemods.tables.records import Edit

_FUNCTION = re.compile(r"tensorflow\.keras\.(?!mixed_precision)\w+\.[a-z_]\w*")
"""Of Keras' modules, functions such as `get` and `mean` say little without the module."""
_APART = ("collections.abc", "wandb.integration.keras", "xml.etree.ElementTree")
"""Modules that are not there by the name of their package until something imports them."""
_OPTIONAL = frozenset({"wandb"})
"""Packages that programs import where they are installed."""
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
        self.after = program.today.with_moved(moved)
        self.dropped = set(dropped)
        self.imported_whole = _imported_whole(program.tree)
        self.apart = set(_APART) - self.imported_whole
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
        if len(occurrence.names) < 2:
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
        for spelled in (
            self._through_prefixes(occurrence, paths, shortest),
            self._through_visible(occurrence, paths),
        ):
            if spelled:
                return min(spelled, key=operator.itemgetter(0))[1]
        return self._import(paths[0], occurrence)

    def _through_prefixes(
        self, occurrence: Occurrence, paths: Sequence[str], shortest: bool
    ) -> list[tuple[int, str]]:
        """Returns the ways to write it that begin as the old name does, each with its cost."""
        found = []
        for prefix in occurrence.prefixes():
            source = self.tree.source(prefix)
            for rest in self._rests(self.after.paths(prefix), paths):
                found.append((len(source + rest) if shortest else len(rest), source + rest))
        return found

    def _through_visible(
        self, occurrence: Occurrence, paths: Sequence[str]
    ) -> list[tuple[int, str]]:
        """Returns the ways to write it by a name that is visible there, each with its cost."""
        found = []
        scope = self.program.scope(occurrence)
        current: Scope | None = scope
        while current is not None:
            for name, bindings in current.bindings.items():
                # A class' own names are not seen from the functions in it.
                if scope.owner(name) is current and self._usable(bindings, occurrence):
                    bound = {path for one in bindings for path in self.after.binding_paths(one)}
                    found += [(len(rest), name + rest) for rest in self._rests(bound, paths)]
            current = current.parent
        return found

    def _rests(self, bound: Collection[str | None], paths: Sequence[str]) -> list[str]:
        """Returns what must follow something that surely is at one path, to name one of others."""
        if len(bound) != 1:
            return []
        rests = [self._rest(next(iter(bound)), path) for path in paths]
        return [rest for rest in rests if rest is not None]

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
                "its top"
            )
        if _FUNCTION.fullmatch(path):
            return f"{self._import(module, occurrence)}.{last}"
        if self._is_taken(last):
            raise CannotRenderError(f"it would be imported as {last}, which the file has already")
        self.imports[path] = last
        return last

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
        """Makes sure that the file has a helper function where it is used, and returns its name."""
        self._note_use(occurrence)
        existing = [
            self.tree.source(binding.node)
            for scope in self.program.scopes.of_node.values()
            for binding in scope.bindings.get(name, ())
        ]
        docstring = source.split('"""')[1]  # An earlier run may have added it.
        if not all(docstring in other for other in existing):
            raise CannotRenderError(f"the file has a {name} of its own")
        if not existing:
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


_INDENTATION = re.compile(r"^(?: {4})+", re.MULTILINE)


class NewImports:
    """Makes the edits that add imports and functions to one file, before their first use."""

    def __init__(self, tree: Tree, first_use: int) -> None:
        self.tree = tree
        self.header: list[cst.CSTNode] = []
        """The statements that imports can go behind, in order."""
        self._find_header(first_use)

    def edits(self, imports: Mapping[str, str], helpers: Iterable[str]) -> list[Edit]:
        """Returns the edits."""
        tree, newline = self.tree, self.tree.newline
        end = self._end()
        lines: dict[tuple[int, str], list[str]] = {}
        for module, statements in self._statements(imports):
            lines.setdefault(self._place(module, end), []).extend(statements)
        texts = {
            place: "".join(one + newline for one in statements)
            for place, statements in lines.items()
        }
        functions, unit = list(helpers), tree.module.default_indent
        for source in functions:
            indented = _INDENTATION.sub(lambda s: unit * (len(s[0]) // 4), source.strip("\n"))
            function = f"{newline}{newline}{indented.replace(chr(10), newline)}{newline}"
            texts[end] = texts.get(end, "") + function
        if functions:
            following = tree.text[end[0] : end[0] + 2 * len(newline)]
            if following and following != newline.encode() * 2:
                texts[end] += newline * (1 if following.startswith(newline.encode()) else 2)
        return [Edit(offset, offset, glue + text) for (offset, glue), text in texts.items()]

    def _statements(self, imports: Mapping[str, str]) -> Iterable[tuple[str, list[str]]]:
        """Yields each module with the statements that import it, or its members."""
        modules: dict[str, list[str]] = {}
        for path, name in sorted(imports.items()):
            module, _, member = path.rpartition(".")
            text = member if member == name else f"{member} as {name}"
            modules.setdefault(module, []).append(text)
        for name in modules.pop("", []):
            yield name, [f"import {name}"]
        for module, members in modules.items():
            yield module, from_imports(self.tree, module, members)

    def _place(self, module: str, end: tuple[int, str]) -> tuple[int, str]:
        """Returns where an import goes: behind others of its package, or of Python's own."""
        root = module.partition(".")[0]
        simple = [one for one in self.header if isinstance(one, cst.SimpleStatementLine)]
        near = [one for one in simple if root in _roots(one)]
        if not near and root in sys.stdlib_module_names:
            near = [one for one in simple if _roots(one) & sys.stdlib_module_names]
        return self._behind(near[-1]) if near else end

    def _behind(self, node: cst.CSTNode) -> tuple[int, str]:
        end = self.tree.line_end(max(self.tree.span(node)[1] - 1, 0))
        glue = "" if self.tree.text[:end].endswith((b"\n", b"\r")) else self.tree.newline
        return end, glue

    def _end(self) -> tuple[int, str]:
        """Returns where what has no better place goes."""
        if self.header:
            offset, glue = self._behind(self.header[-1])
            # What is imported from the future stands by itself.
            alone = isinstance(self.header[-1], cst.SimpleStatementLine) and _is_of_the_future(
                self.header[-1]
            )
            return offset, glue + self.tree.newline * alone
        first = self.tree.module.body[0]
        # For libcst a decorated definition starts behind its decorators.
        first = next(iter(getattr(first, "decorators", ())), first)
        return self.tree.line_start(self.tree.span(first)[0]), ""

    def _find_header(self, first_use: int) -> None:
        """Finds the imports at the top, with the simple statements in front of and between them."""
        between: list[cst.CSTNode] = []
        for statement in self.tree.module.body:
            if self.tree.span(statement)[1] > first_use:
                break
            if self._only_imports(statement):
                self.header += [*between, statement]
                between = []
            elif isinstance(statement, cst.SimpleStatementLine):
                # A docstring, `__version__ = ...`, `sys.path.append(...)` and the like.
                between.append(statement)
            else:
                break
        if not self.header and between and _is_docstring(between[0]):
            self.header = between[:1]

    def _only_imports(self, statement: cst.CSTNode) -> bool:
        """Whether a line, or a block behind `if` or `try`, is there for what it imports."""
        small = [n for n in self.tree.walk(statement) if isinstance(n, cst.BaseSmallStatement)]
        beside = () if isinstance(statement, cst.SimpleStatementLine) else (cst.Pass, cst.Assign)
        blocks = cst.SimpleStatementLine | cst.If | cst.Try
        return (
            isinstance(statement, blocks)
            and any(isinstance(n, cst.Import | cst.ImportFrom) for n in small)
            and all(isinstance(n, (cst.Import, cst.ImportFrom, *beside)) for n in small)
        )


def _is_docstring(line: cst.CSTNode) -> bool:
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
    return isinstance(small, cst.Expr) and isinstance(small.value, cst.BaseString)


def _is_of_the_future(line: cst.SimpleStatementLine) -> bool:
    return any(
        isinstance(s, cst.ImportFrom) and dotted(s.module) == "__future__" for s in line.body
    )


def _roots(line: cst.SimpleStatementLine) -> set[str]:
    """Returns the packages that a line imports from, but for the file's own."""
    packages: set[str] = set()
    for small in line.body:
        if isinstance(small, cst.ImportFrom) and not small.relative:
            packages.add((dotted(small.module) or "").partition(".")[0])
        elif isinstance(small, cst.Import):
            packages.update((dotted(one.name) or "").partition(".")[0] for one in small.names)
    return packages - {"__future__"}


def imports_names_singly(tree: Tree) -> bool:
    """Whether a file has one statement for each name that it imports from a module.

    It imports more than one name of some module, each by itself. An old module and its successor,
    side by side, are two.
    """
    imports = [node for node in tree.parents if isinstance(node, cst.ImportFrom)]
    if any(not isinstance(node.names, cst.ImportStar) and len(node.names) > 1 for node in imports):
        return False
    modules = [import_path(node) for node in imports]
    return len(set(modules)) < len(modules)


def from_imports(tree: Tree, module: str, members: Iterable[str]) -> list[str]:
    """Returns the statements that import members of a module, as the file writes such."""
    if imports_names_singly(tree):
        return [f"from {module} import {member}" for member in members]
    return [f"from {module} import {', '.join(members)}"]

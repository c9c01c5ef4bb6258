# SPDX-License-Identifier: Apache-2.0
"""The files that can run together with one, and what importing one of them does.

`precision.py` that calls `set_policy("mixed_float16")` at its top level is imported for
that as well as for its names, so such an import stays when a file no longer needs the names.
"""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Final

from lossscale_codemods.python.scopes import member_path
from lossscale_codemods.source.reading import parsed
from lossscale_codemods.tables import frameworks, names

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from lossscale_codemods.python.modules import Modules, ProjectFiles


def others_name(modules: Modules, words: Collection[str]) -> bool:
    """Whether another file that can run together with one has words in its code.

    Args:
        modules: The files of the project, as the one file imports them.
        words: The words.

    Returns:
        Whether one has; true as well where that is not known.
    """
    files = others_naming(modules, words)
    return files is None or bool(files)


def others_naming(modules: Modules, words: Collection[str]) -> list[Path] | None:
    """Returns the other files that can run together with one and have words in their code.

    Args:
        modules: The files of the project, as the one file imports them.
        words: The words.

    Returns:
        The files, in order; nothing if that is not known.
    """
    files = modules.files
    if files is None:
        return []
    mentioning = [files.mentioning(word) for word in words]
    paths = {path for files_with in mentioning for path in files_with or ()} - {files.path}
    together = files.running_with(paths) if paths or None in mentioning else []
    if None in mentioning or together is None:
        return None
    naming = []
    for path in sorted(together):
        names = modules.names_in(path)
        if names is None:
            return None
        if not names.isdisjoint(words):
            naming.append(path)
    return naming


def imported_paths(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yields the dotted paths of what the imports among some nodes import.

    Args:
        nodes: Nodes as Python's own parser gives them.
    """
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            yield from (
                base if alias.name == "*" else member_path(base, alias.name) for alias in node.names
            )


_MOST_MODULES: Final = 32
_PURE_BUILTINS = """abs all any bool bytes callable classmethod dict enumerate filter float
frozenset getattr hasattr int isinstance issubclass iter len list map max min next object property
range reversed round set sorted staticmethod str sum super tuple type vars zip"""
_PURE_METHODS = """abspath basename capitalize copy dirname exists expanduser format get
get_logger getLogger getenv isdigit items join keys lower now parse realpath replace resolve rsplit
rstrip split startswith endswith strip time title upper values"""
_PURE_MAKERS = """ContextVar Counter Event Lock LooseVersion NamedTuple NewType OrderedDict
ParamSpec Path RLock StrictVersion TypeVar Version compile dataclass defaultdict field local
lru_cache namedtuple partial wraps cache cached_property contextmanager abstractmethod
total_ordering unique overload"""
_PURE: Final = names.MEMBERS | {*_PURE_BUILTINS.split(), *_PURE_METHODS.split()} | {
    *_PURE_MAKERS.split()
}  # fmt: skip
"""Functions and methods that change nothing that others see, by their last names."""
_CHANGING: Final = names.MEMBERS & {
    "set_policy",
    "policy_scope",
    "enable_mixed_precision_graph_rewrite",
    "disable_mixed_precision_graph_rewrite",
}
_LISTS: Final = frozenset({"__all__"})


def acts_when_imported(files: ProjectFiles, dotted: str) -> bool:
    """Whether an import runs code that does more than bind names.

    Args:
        files: The project, as the file with the import sees it.
        dotted: The path that is imported, with its leading dots.
    """
    return any(_acts(source) for source in _sources(files, [dotted], {files.path: None}))


def _sources(files: ProjectFiles, paths: Iterable[str], seen: dict[Path, None]) -> Iterator[bytes]:
    """Yields the modules that imports of these paths run, one after the other."""
    for dotted in paths:
        for one in _with_packages(dotted):
            located = None if frameworks.is_framework(one) else files.locate(one)
            if located is None or located[0] in seen or len(seen) > _MOST_MODULES:
                continue
            path = located[0]
            seen[path] = None
            source = files.read(path) or b""
            yield source
            yield from _sources(files.seen_from(path), _imports(source), seen)


def _with_packages(dotted: str) -> Iterator[str]:
    """Yields the packages that a module is in, and the module."""
    name = dotted.lstrip(".")
    dots = dotted[: len(dotted) - len(name)]
    parts = name.split(".") if name else []
    for count in range(1, len(parts) + 1):
        yield dots + ".".join(parts[:count])


@functools.lru_cache(maxsize=64)
def _imports(source: bytes) -> tuple[str, ...]:
    tree = parsed(source)
    return tuple(imported_paths(_statements(tree.body if tree is not None else [])))


@functools.lru_cache(maxsize=64)
def _acts(source: bytes) -> bool:
    tree = parsed(source)
    return tree is None or any(map(_does_more, _statements(tree.body)))


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yields the statements that run when a module is imported."""
    for node in body:
        yield node
        match node:
            case ast.If(test=ast.Name("TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                yield from _statements(node.orelse)
            case ast.If(test=ast.Compare(left=ast.Name("__name__"))):
                yield from _statements(node.orelse)
            case ast.If() | ast.For() | ast.While():
                yield from _statements([*node.body, *node.orelse])
            case ast.With():
                yield from _statements(node.body)
            case ast.Try():
                handled = [one for handler in node.handlers for one in handler.body]
                yield from _statements([*node.body, *handled, *node.orelse, *node.finalbody])


def _does_more(node: ast.stmt) -> bool:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return any(map(_can_change, node.decorator_list))
        case ast.ClassDef():
            return bool(node.keywords) or any(map(_can_change, node.decorator_list))
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name)))) if name in _LISTS:
            return False
        case ast.Expr(value):
            return not isinstance(value, ast.Constant)
        case ast.Assign(targets, value):
            return not all(isinstance(one, ast.Name | ast.Tuple) for one in targets) or any(
                map(_is_changing, ast.walk(value))
            )
        case ast.AnnAssign(target, _, value) | ast.AugAssign(target, _, value):
            made = [] if value is None else ast.walk(value)
            return not isinstance(target, ast.Name) or any(map(_is_changing, made))
        case ast.If(test) | ast.While(test):
            return any(map(_is_changing, ast.walk(test)))
        case ast.For(iter=value):
            return any(map(_is_changing, ast.walk(value)))
        case ast.With():
            return True
    return False


def _can_change(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return _last_word(called) not in _PURE


def _is_changing(node: ast.AST) -> bool:
    """Whether a part of an expression calls what may change something."""
    if not isinstance(node, ast.Call):
        return False
    last = _last_word(node.func)
    return last not in _PURE or last in _CHANGING


def _last_word(node: ast.expr) -> str:
    match node:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
    return ""

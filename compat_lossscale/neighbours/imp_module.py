# SPDX-License-Identifier: Apache-2.0
"""The module `imp` of Python up to 3.11: what programs call of it, by `importlib`."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Callable, Sequence
from importlib import invalidate_caches, reload
from importlib.util import cache_from_source, source_from_cache
from pathlib import Path
from typing import IO, Any

__all__ = [
    "C_BUILTIN",
    "C_EXTENSION",
    "PKG_DIRECTORY",
    "PY_COMPILED",
    "PY_FROZEN",
    "PY_SOURCE",
    "acquire_lock",
    "cache_from_source",
    "find_module",
    "get_magic",
    "get_suffixes",
    "get_tag",
    "invalidate_caches",
    "is_builtin",
    "is_frozen",
    "load_compiled",
    "load_dynamic",
    "load_module",
    "load_package",
    "load_source",
    "lock_held",
    "new_module",
    "release_lock",
    "reload",
    "source_from_cache",
]

PY_SOURCE, PY_COMPILED, C_EXTENSION = 1, 2, 3
PKG_DIRECTORY, C_BUILTIN, PY_FROZEN = 5, 6, 7

Description = tuple[str, str, int]
"""A suffix, the mode to open the file with, and one of the constants above."""


def new_module(name: str) -> types.ModuleType:
    """Makes an empty module."""
    return types.ModuleType(name)


def get_magic() -> bytes:
    """Returns what compiled files begin with."""
    return importlib.util.MAGIC_NUMBER


def get_tag() -> str | None:
    """Returns what compiled files have in their names."""
    return sys.implementation.cache_tag


def get_suffixes() -> list[Description]:
    """Returns the suffixes of modules' files."""
    machinery = importlib.machinery
    return [
        *((suffix, "rb", C_EXTENSION) for suffix in machinery.EXTENSION_SUFFIXES),
        *((suffix, "r", PY_SOURCE) for suffix in machinery.SOURCE_SUFFIXES),
        *((suffix, "rb", PY_COMPILED) for suffix in machinery.BYTECODE_SUFFIXES),
    ]


def acquire_lock() -> None:
    """Does nothing: imports have locks of their own, one a module."""


release_lock = acquire_lock


def lock_held() -> bool:
    """Whether an import holds the lock that there was."""
    return False


def is_builtin(name: str) -> int:
    """Whether a module is built into the interpreter."""
    return int(name in sys.builtin_module_names)


def is_frozen(name: str) -> bool:
    """Whether a module is frozen into the interpreter."""
    return importlib.machinery.FrozenImporter.find_spec(name) is not None


def load_source(name: str, pathname: str, file: IO[Any] | None = None) -> types.ModuleType:
    """Runs a source file as a module, again if it has been loaded under that name."""
    return _load(name, importlib.machinery.SourceFileLoader(name, str(pathname)))


def load_compiled(name: str, pathname: str, file: IO[Any] | None = None) -> types.ModuleType:
    """Runs a compiled file as a module."""
    return _load(name, importlib.machinery.SourcelessFileLoader(name, str(pathname)))


def load_dynamic(name: str, path: str, file: IO[Any] | None = None) -> types.ModuleType:
    """Loads an extension module."""
    return _load(name, importlib.machinery.ExtensionFileLoader(name, str(path)))


def load_package(name: str, path: str) -> types.ModuleType:
    """Runs the `__init__.py` of a folder as a package."""
    init = str(Path(path, "__init__.py"))
    return _load(name, importlib.machinery.SourceFileLoader(name, init), [str(path)])


def _load(name: str, loader: Any, search: list[str] | None = None) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(
        name, loader.path, loader=loader, submodule_search_locations=search
    )
    assert spec is not None
    loaded = sys.modules.get(name)
    module = loaded or importlib.util.module_from_spec(spec)
    module.__spec__ = spec
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except BaseException:
        if loaded is None:
            sys.modules.pop(name, None)
        raise
    return sys.modules[name]


def find_module(
    name: str, path: Sequence[str] | None = None
) -> tuple[IO[Any] | None, str | None, Description]:
    """Finds a module's file, and opens it.

    Raises:
        ImportError: There is no such module.
    """
    if path is None and is_builtin(name):
        return None, None, ("", "", C_BUILTIN)
    spec = importlib.machinery.PathFinder.find_spec(name, None if path is None else list(path))
    if spec is None or spec.origin is None:
        raise ImportError(f"No module named {name!r}", name=name)
    if spec.submodule_search_locations:
        return None, str(Path(spec.origin).parent), ("", "", PKG_DIRECTORY)
    description = next(one for one in get_suffixes() if spec.origin.endswith(one[0]))
    is_text = description[2] == PY_SOURCE
    # The caller closes it, as `imp` documents.
    file = open(spec.origin, description[1], encoding="utf-8" if is_text else None)  # noqa: PTH123, SIM115
    return file, spec.origin, description


def load_module(
    name: str, file: IO[Any] | None, filename: str | None, details: Description
) -> types.ModuleType:
    """Loads what `find_module` found.

    Raises:
        ImportError: It is not one of the kinds above.
    """
    loaders: dict[int, Callable[[str, str], types.ModuleType]] = {
        PY_SOURCE: load_source,
        PY_COMPILED: load_compiled,
        C_EXTENSION: load_dynamic,
        PKG_DIRECTORY: load_package,
    }
    kind = details[2]
    if kind in loaders and filename is not None:
        return loaders[kind](name, filename)
    if kind in (C_BUILTIN, PY_FROZEN):
        return importlib.import_module(name)
    raise ImportError(f"Don't know how to import {name} (type code {kind})", name=name)

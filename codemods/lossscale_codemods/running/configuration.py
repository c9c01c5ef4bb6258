# SPDX-License-Identifier: Apache-2.0
"""`[tool.compat-lossscale]` in `pyproject.toml`."""

from __future__ import annotations

import dataclasses
import difflib
import os
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from lossscale_codemods.project.discovery import patterns_from
from lossscale_codemods.source.reading import read_settings

_KEYS: dict[str, type] = {
    "target": str, "select": list, "ignore": list, "exclude": list, "per-file-ignores": dict,
    "jobs": int, "quiet": bool, "collapse-guards": bool, "unsafe-fixes": bool,
    "legacy-optimizers": bool, "no-dependency": bool, "no-ignore": bool,
}  # fmt: skip
_NAMES = {
    str: "a string", list: "a list of strings", int: "a whole number", bool: "true or false",
    dict: "a table of globs, each with a list of ids",
}  # fmt: skip
_TABLES = ("tool", "compat-lossscale")


class ConfigurationError(Exception):
    """The configuration cannot be used; the message says where and what to do."""


@dataclasses.dataclass(frozen=True)
class Configuration:
    """What `[tool.compat-lossscale]` says; options of the command line come first.

    `folder` is where the file is: the globs of `per_file_ignores` start there.
    """

    target: str = "tf-keras"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    jobs: int | None = None
    quiet: bool = False
    collapse_guards: bool = False
    unsafe_fixes: bool = False
    legacy_optimizers: bool | None = None
    no_dependency: bool = False
    no_ignore: bool = False
    folder: str = ""


def find(start: Path) -> Path | None:
    """Returns the nearest `pyproject.toml` in a folder or above it, up to the repository's top.

    Raises:
        ConfigurationError: The current folder, from which `start` is named, is gone.
    """
    try:
        start = start.absolute()
    except FileNotFoundError as error:
        raise ConfigurationError(
            "The current folder was removed. Go to one that is there."
        ) from error
    for folder in [start, *start.parents]:
        candidate = folder / "pyproject.toml"
        if os.path.isfile(candidate):
            return candidate
        if os.path.exists(folder / ".git"):
            return None
    return None


def read(path: Path | None) -> Configuration:
    """Reads the configuration; the default one if there is none.

    Raises:
        ConfigurationError: The file is not valid, or has an unknown key.
    """
    if path is None:
        return Configuration()
    try:
        content = read_settings(path)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror or error}.") from error
    text = _decoded(path, content)
    # TOML has many ways to write the table, and all of them have its name.
    if _TABLES[-1] not in text:
        return Configuration()
    section: Any = _load(path, text)
    for table in _TABLES:
        section = section.get(table, {})
        if not isinstance(section, dict):
            raise ConfigurationError(
                f"{path}: {table!r} must be a table, written as [tool.compat-lossscale], but is "
                f"{_shown(section)}."
            )
    values: dict[str, Any] = {}
    for key, value in section.items():
        if key not in _KEYS:
            close = difflib.get_close_matches(key, _KEYS, n=1, cutoff=0.5)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise ConfigurationError(
                f"{path}: [tool.compat-lossscale] has the unknown key {key!r}.{hint} "
                f"Known keys: {', '.join(_KEYS)}."
            )
        expected = _KEYS[key]
        if not _is_one(value, expected):
            raise ConfigurationError(
                f"{path}: {key!r} in [tool.compat-lossscale] must be {_NAMES[expected]}, "
                f"but is {_shown(value)}."
            )
        if key == "jobs" and value < 1:
            raise ConfigurationError(
                f"{path}: 'jobs' in [tool.compat-lossscale] must be 1 or more, but is "
                f"{_shown(value)}."
            )
        field = key.replace("-", "_")
        if expected is dict:
            values[field] = tuple((glob, tuple(ids)) for glob, ids in value.items())
        else:
            values[field] = tuple(value) if expected is list else value
    folder = str(path.parent.absolute())
    values["exclude"] = tuple(patterns_from(folder, values.get("exclude", ())))
    return Configuration(**values, folder=folder)


def _is_one(value: Any, expected: type) -> bool:
    if expected is dict:
        return isinstance(value, dict) and all(_is_one(ids, list) for ids in value.values())
    if expected is list:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, expected) and (expected is bool or not isinstance(value, bool))


def _shown(value: Any) -> str:
    """Returns a value for a message, of which a hostile one can be long, or too large a number."""
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= 80 else f"{text[:80]}..."


def _decoded(path: Path, content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
        problem = "it has null bytes" if "\0" in text else ""
    except UnicodeDecodeError as error:
        text, problem = "", str(error)
    if problem:
        raise ConfigurationError(
            f"{path} is not UTF-8, as TOML has to be: {problem}. Save it as UTF-8, then run again."
        )
    return text


def _load(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    # Python reads no numbers of thousands of digits, and calls itself for each bracket in another.
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path} is no valid TOML: {error}.") from error

# SPDX-License-Identifier: Apache-2.0
"""`[tool.compat-lossscale]` in `pyproject.toml`."""

from __future__ import annotations

import dataclasses
import difflib
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_KEYS: dict[str, type] = {
    "target": str,
    "select": list,
    "ignore": list,
    "exclude": list,
    "jobs": int,
    "quiet": bool,
    "collapse-guards": bool,
    "unsafe-fixes": bool,
    "legacy-optimizers": bool,
    "no-dependency": bool,
    "no-ignore": bool,
}
_NAMES = {str: "a string", list: "a list of strings", int: "a whole number", bool: "true or false"}
_TABLES = ("tool", "compat-lossscale")


class ConfigurationError(Exception):
    """The configuration cannot be used; the message says where and what to do."""


@dataclasses.dataclass(frozen=True)
class Configuration:
    """What `[tool.compat-lossscale]` says; options of the command line come first."""

    target: str = "tf-keras"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    jobs: int | None = None
    quiet: bool = False
    collapse_guards: bool = False
    unsafe_fixes: bool = False
    legacy_optimizers: bool = True
    no_dependency: bool = False
    no_ignore: bool = False


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
        content = path.read_bytes()
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
                f"{section!r}."
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
        good = isinstance(value, expected) and (expected is bool or not isinstance(value, bool))
        if expected is list:
            good = isinstance(value, list) and all(isinstance(item, str) for item in value)
        if not good:
            raise ConfigurationError(
                f"{path}: {key!r} in [tool.compat-lossscale] must be {_NAMES[expected]}, "
                f"but is {value!r}."
            )
        if key == "jobs" and value < 1:
            raise ConfigurationError(
                f"{path}: 'jobs' in [tool.compat-lossscale] must be 1 or more, but is {value}."
            )
        values[key.replace("-", "_")] = tuple(value) if expected is list else value
    return Configuration(**values)


def _decoded(path: Path, content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError(
            f"{path} is not UTF-8, as TOML has to be: {error}. Save it as UTF-8, then run again."
        ) from error
    if "\0" in text:
        raise ConfigurationError(
            f"{path} is not UTF-8, as TOML has to be: it has null bytes. Save it as UTF-8, then "
            "run again."
        )
    return text


def _load(path: Path, text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path} is no valid TOML: {error}.") from error

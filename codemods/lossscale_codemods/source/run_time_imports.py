# SPDX-License-Identifier: Apache-2.0
"""Files that a program runs by other means than an import statement.

`importlib.import_module(f"models.{name}")` imports some module of a package, and
`runpy.run_path("train.py")` or `exec(open("train.py").read())` run a script. They are looked for in
the bytes, as import statements are: see `lossscale_codemods.project.connected_files`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


IMPORTING: Final = (b"import_module", b"__import__", b"run_module", b"resolve_name")
"""Functions that import a module by its name."""
RUNNING: Final = (
    b"run_path", b"exec(", b"execfile", b"%run", b"spec_from_file_location", b"load_source",
)  # fmt: skip
"""What runs a script by its path."""
_MODULE = re.compile(
    rb"\b(?:%s)\(\s*[fFrR]?[\"'](\.*\w[\w.]*|\.)([\"']\s*[,)]|:)?" % b"|".join(IMPORTING)
)
_SCRIPT = re.compile(rb"(?<![\w.-])(?:[\w.-]+/)*[\w-][\w.-]*\.py\b")


class ModuleName(NamedTuple):
    """What a program says of a module that it imports by its name.

    Attributes:
        dotted: The path of the module, or of the package that it is in.
        is_package: Whether any module of this package is meant.
    """

    dotted: str
    is_package: bool


def module_names(source: bytes) -> Iterator[ModuleName]:
    """Yields the modules that a program imports by their names, as far as it says them."""
    if not any(word in source for word in IMPORTING):
        return
    for match in _MODULE.finditer(source):
        dotted = match[1].decode("utf-8", "replace")
        if match[2]:
            yield ModuleName(dotted.rstrip("."), False)
        else:
            yield ModuleName(dotted.rpartition(".")[0] or ".", True)


def scripts(source: bytes) -> Iterator[str]:
    """Yields the paths of scripts that a program can run."""
    if any(word in source for word in RUNNING):
        for match in _SCRIPT.finditer(source):
            yield match[0].decode("utf-8", "replace")

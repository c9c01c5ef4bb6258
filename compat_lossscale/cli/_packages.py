# SPDX-License-Identifier: Apache-2.0
"""Which packages a program needs are installed, and which of those need more. Imports none."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from compat_lossscale.neighbour_names.neighbour import Neighbour

_NOT_LOOKED_AT = {"compat_lossscale", "keras", "numpy", "tensorflow", "tf_keras"}
"""Packages of which it is known what they need."""
_DISTRIBUTIONS = {
    "PIL": "pillow",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "git": "gitpython",
    "google": "googleapis-common-protos",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}
"""Where the distribution has another name than the package."""


def version(distribution: str) -> str | None:
    """Returns the version of a distribution; `None` if it is not installed."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def install(package: str) -> str:
    """Returns the command that installs a package."""
    return f"pip install {_DISTRIBUTIONS.get(package, package.replace('_', '-'))}"


def is_installed(package: str) -> bool:
    """Whether a package, or a module, would be found."""
    try:
        return package in sys.modules or importlib.util.find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def read(file: Path, largest: int) -> bytes | None:
    """Returns what is in a file; `None` if it is too large or cannot be read."""
    try:
        source = file.read_bytes()
    except OSError:
        return None
    return None if len(source) > largest else source


def not_installed(imported: Collection[str], file: Path) -> Iterator[str]:
    """Yields the packages of those that a file imports which are neither its own nor installed."""
    from compat_lossscale.neighbour_names.lookup import neighbour_at

    for root in {path.partition(".")[0] for path in imported}:
        if root in sys.stdlib_module_names or neighbour_at(root) is not None:
            continue
        own = any(
            os.path.isdir(folder / root) or os.path.isfile(folder / f"{root}.py")
            for folder in file.absolute().parents
        )
        if not own and not is_installed(root):
            yield root


def needing_more(
    packages: Collection[str], own: Collection[Path], largest: int, end: float
) -> dict[Neighbour, str]:
    """Looks for installed packages that cannot be imported without others, which are missing.

    Args:
        packages: The packages that a program imports.
        own: The program's own files and folders, which are none of them.
        largest: The largest file to read, in bytes.
        end: When to stop, by `time.monotonic`.

    Returns:
        By neighbour that another package serves, which of them imports it.
    """
    from compat_lossscale.neighbour_names import TABLE
    from compat_lossscale.neighbour_names.lookup import neighbour_at
    from compat_lossscale.neighbours.usage import used_in

    lacking = {one for one in TABLE if one.package and not is_installed(one.package[0])}
    words = {one.short_name.encode() for one in lacking}
    users: dict[Neighbour, str] = {}
    for package in sorted(set(packages) - _NOT_LOOKED_AT) if lacking else ():
        for file in _sources(package, own):
            if time.monotonic() > end:
                return users
            source = read(file, largest) or b""
            if any(word in source for word in words):
                for path in used_in(source).needed:
                    neighbour = neighbour_at(path)
                    if neighbour in lacking:
                        users.setdefault(neighbour, package)
    return users


def _sources(package: str, own: Collection[Path]) -> Iterator[Path]:
    """The files of an installed package, unless Python brings it or it is the program's own."""
    if package in sys.stdlib_module_names or not is_installed(package):
        return
    spec = importlib.util.find_spec(package)
    for folder in map(Path, (spec and spec.submodule_search_locations) or ()):
        if not any(path.is_relative_to(folder) or folder.is_relative_to(path) for path in own):
            yield from sorted(folder.rglob("*.py"))

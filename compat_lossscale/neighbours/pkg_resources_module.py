# SPDX-License-Identifier: Apache-2.0
"""The module `pkg_resources` of setuptools up to 81: versions, distributions, files of packages."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.version import Version

__all__ = [
    "Distribution",
    "DistributionNotFound",
    "Requirement",
    "ResolutionError",
    "VersionConflict",
    "get_distribution",
    "iter_entry_points",
    "parse_version",
    "require",
    "resource_exists",
    "resource_filename",
    "resource_isdir",
    "resource_listdir",
    "resource_stream",
    "resource_string",
]


class ResolutionError(Exception):
    """A requirement is not met."""


class DistributionNotFound(ResolutionError):  # noqa: N818  # setuptools' name
    """A distribution is not installed."""


class VersionConflict(ResolutionError):  # noqa: N818  # setuptools' name
    """Another version is installed."""


def parse_version(version: str) -> Version:
    """Returns a version that can be compared."""
    return Version(version)


class Distribution:
    """An installed distribution."""

    def __init__(self, distribution: importlib.metadata.Distribution) -> None:
        self.project_name = self.key = distribution.metadata["Name"]
        self.key = self.key.lower()
        self.version = distribution.version
        self.parsed_version = Version(distribution.version)
        self.location = str(distribution.locate_file(""))

    def __str__(self) -> str:
        return f"{self.project_name} {self.version}"


def get_distribution(dist: Any) -> Distribution:
    """Returns an installed distribution.

    Raises:
        DistributionNotFound: It is not installed.
        VersionConflict: It is, in a version that the requirement does not allow.
    """
    requirement = dist if isinstance(dist, Requirement) else Requirement(str(dist))
    try:
        distribution = Distribution(importlib.metadata.distribution(requirement.name))
    except importlib.metadata.PackageNotFoundError:
        raise DistributionNotFound(
            f"The {str(requirement)!r} distribution was not found and is required by the program"
        ) from None
    if not requirement.specifier.contains(distribution.version, prereleases=True):
        raise VersionConflict(f"{distribution} is installed but {requirement} is required")
    return distribution


def require(*requirements: str) -> list[Distribution]:
    """Returns the distributions that requirements name; see `get_distribution`."""
    return [get_distribution(one) for one in requirements]


def iter_entry_points(group: str, name: str | None = None) -> Iterator[Any]:
    """Yields the entry points of a group."""
    for entry_point in importlib.metadata.entry_points(group=group):
        if name is None or entry_point.name == name:
            yield entry_point


def _path(package: Any, resource_name: str) -> Path:
    module = importlib.import_module(package)
    return Path(str(module.__file__)).parent / resource_name


def resource_filename(package_or_requirement: Any, resource_name: str) -> str:
    """Returns the path of a package's file."""
    return str(_path(package_or_requirement, resource_name))


def resource_exists(package_or_requirement: Any, resource_name: str) -> bool:
    """Whether a package has a file."""
    return _path(package_or_requirement, resource_name).exists()


def resource_isdir(package_or_requirement: Any, resource_name: str) -> bool:
    """Whether a package has a folder."""
    return _path(package_or_requirement, resource_name).is_dir()


def resource_listdir(package_or_requirement: Any, resource_name: str) -> list[str]:
    """Returns the names in a package's folder."""
    return [path.name for path in _path(package_or_requirement, resource_name).iterdir()]


def resource_string(package_or_requirement: Any, resource_name: str) -> bytes:
    """Returns what a package's file holds."""
    return _path(package_or_requirement, resource_name).read_bytes()


def resource_stream(package_or_requirement: Any, resource_name: str) -> Any:
    """Opens a package's file."""
    return _path(package_or_requirement, resource_name).open("rb")

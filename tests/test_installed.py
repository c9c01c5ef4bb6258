# SPDX-License-Identifier: Apache-2.0
"""The packages and modules are made up."""

from __future__ import annotations

import importlib.metadata
import importlib.util

import pytest

from compat_lossscale._require import UNKNOWN_VERSION, installed_version


class Installed:
    """Made-up distributions, and modules that can or cannot be found."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.versions: dict[str, str] = {}
        self.modules: set[str] = set()
        self.providing: dict[str, list[str]] = {}
        monkeypatch.setattr(importlib.metadata, "version", self.version)
        monkeypatch.setattr(importlib.metadata, "packages_distributions", lambda: self.providing)
        monkeypatch.setattr(importlib.util, "find_spec", self.find_spec)

    def version(self, name: str) -> str:
        if name not in self.versions:
            raise importlib.metadata.PackageNotFoundError(name)
        return self.versions[name]

    def find_spec(self, name: str) -> object:
        return object() if name in self.modules else None


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Installed:
    return Installed(monkeypatch)


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("tensorflow", "tensorflow"),
        ("tensorflow", "tensorflow-cpu"),
        ("tensorflow", "tf-nightly"),
        ("keras", "keras-nightly"),
        ("h5py", "h5py"),
    ],
)
def test_every_package_that_provides_a_module_counts(
    installed: Installed, module: str, package: str
) -> None:
    installed.versions[package] = "2.20.0"
    installed.modules.add(module)
    installed.providing[module] = [package]
    assert installed_version(module) == "2.20.0"


def test_what_is_not_there_is_not_installed(installed: Installed) -> None:
    assert installed.modules == set()
    assert installed_version("keras") is None


def test_what_was_uninstalled_by_halves_is_not_installed(installed: Installed) -> None:
    installed.versions["tensorflow"] = "2.20.0"
    assert installed_version("tensorflow") is None


def test_what_has_no_metadata_is_of_unknown_version(installed: Installed) -> None:
    installed.modules.add("tensorflow")
    assert installed_version("tensorflow") == UNKNOWN_VERSION

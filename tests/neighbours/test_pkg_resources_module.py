# SPDX-License-Identifier: Apache-2.0
"""`pkg_resources` tells versions, and finds files of packages."""

from __future__ import annotations

import pytest

from compat_lossscale.neighbours import pkg_resources_module as pkg_resources


def test_versions_compare() -> None:
    parse = pkg_resources.parse_version
    assert parse("2.10.0") > parse("2.9.1") > parse("2.9.0rc1")


def test_a_distribution_that_is_installed_has_its_version() -> None:
    found = pkg_resources.get_distribution("pytest")
    assert found.version == pytest.__version__
    assert found.parsed_version >= pkg_resources.parse_version("1")
    assert str(found) == f"pytest {pytest.__version__}"
    assert [one.key for one in pkg_resources.require("pytest>=1", "numpy")] == ["pytest", "numpy"]


def test_one_that_is_not_and_one_of_another_version_are_errors() -> None:
    with pytest.raises(pkg_resources.DistributionNotFound, match="there-is-none"):
        pkg_resources.get_distribution("there-is-none")
    with pytest.raises(pkg_resources.VersionConflict, match="pytest"):
        pkg_resources.require("pytest<1")


def test_files_of_packages_are_found() -> None:
    name = "py.typed"
    assert pkg_resources.resource_exists("compat_lossscale", name)
    assert not pkg_resources.resource_isdir("compat_lossscale", name)
    assert name in pkg_resources.resource_listdir("compat_lossscale", "")
    assert pkg_resources.resource_filename("compat_lossscale", name).endswith(name)
    with pkg_resources.resource_stream("compat_lossscale", name) as file:
        assert file.read() == pkg_resources.resource_string("compat_lossscale", name)


def test_entry_points_are_listed() -> None:
    names = [one.name for one in pkg_resources.iter_entry_points("console_scripts", "pytest")]
    assert names == ["pytest"]

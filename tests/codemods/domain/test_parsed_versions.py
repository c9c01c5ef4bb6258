# SPDX-License-Identifier: Apache-2.0
"""Versions compare as numbers, whichever library parsed them."""

from __future__ import annotations

import pytest
from lossscale_codemods.domain.version_values import ParsedVersion, UnknownValueError, comparable


def test_a_string_compares_with_a_version_by_its_numbers() -> None:
    version = ParsedVersion("2.10.1")
    assert comparable(version, "2.4") == (2, 10, 1)
    assert comparable("2.4", version) == (2, 4)
    assert comparable("2.4.0rc1", ParsedVersion("2.10")) == (2, 4, 0)


def test_strings_compare_as_strings() -> None:
    assert comparable("2.21.0", "2.4") < comparable("2.4", "2.21.0")


@pytest.mark.parametrize("value", ["nightly", 2, (2, 4)])
def test_other_values_stay(value: object) -> None:
    assert comparable(value, "2.4") == value
    assert comparable("2.4", 2) == "2.4"


def test_public_attributes() -> None:
    version = ParsedVersion("2.4")
    assert [version.attribute(name) for name in ("major", "minor", "micro")] == [2, 4, 0]
    assert version.attribute("public") == version.attribute("base_version") == "2.4"
    assert version.attribute("release") == version.attribute("version") == (2, 4)
    with pytest.raises(UnknownValueError):
        version.attribute("epoch")

# SPDX-License-Identifier: Apache-2.0
"""Private names of other packages, found or not."""

from __future__ import annotations

import collections

import pytest

from compat_lossscale.core.native import probe


@pytest.mark.needs_private("it asks the probe for a name that is there")
def test_a_name_that_is_there_is_found() -> None:
    assert probe("collections", "OrderedDict") is collections.OrderedDict


@pytest.mark.needs_private("it asks the probe for a name that is there")
def test_an_attribute_behind_dots_is_found() -> None:
    assert probe("collections", "OrderedDict.fromkeys")("a") == {"a": None}


def test_what_is_not_there_gives_the_fallback() -> None:
    assert probe("collections", "NoSuchName", 1) == 1
    assert probe("collections", "OrderedDict.no_such_attribute", 2) == 2
    assert probe("no_such_module", "anything", 3) == 3
    assert probe("no_such_module", "anything") is None

# SPDX-License-Identifier: Apache-2.0
"""Modules that are gone are imported from others, and both are as they were afterwards."""

from __future__ import annotations

import importlib
import json.decoder
import json.encoder
import sys
import xml.dom.minidom
from typing import TYPE_CHECKING

import pytest

from compat_lossscale import _patching
from compat_lossscale.legacy.serving import put_modules
from compat_lossscale.neighbour_names.neighbour import Neighbour

if TYPE_CHECKING:
    from collections.abc import Iterator

MODULES = {
    "old_json": Neighbour("old_json.*", "Python 3.9", "json"),
    "old_json.coder": Neighbour("old_json.coder.*", "Python 3.9", "json.decoder, json.encoder"),
    "xml.old": Neighbour("xml.old.*", "Python 3.9", "xml.dom.minidom"),
    "json": Neighbour("json.*", "Python 3.9", "xml"),
    "lost": Neighbour("lost.*", "Python 3.9", "", "nobody needs it", "Use json"),
    "json.lost": Neighbour("json.lost.*", "Python 3.9", "", "nobody needs it", "Use json"),
    "moved": Neighbour("moved.*", "Python 3.9", "there_is.no_such_module"),
    "json.left": Neighbour(
        "json.left.*", "Python 3.9", "not_here.left", package=("not_here", "pip install not-here")
    ),
}


@pytest.fixture(autouse=True)
def finder() -> Iterator[None]:
    found, paths = set(sys.modules), list(sys.meta_path)
    undo: _patching.Undo = []
    put_modules(MODULES, undo)
    yield
    _patching.take_back(undo)
    assert set(sys.modules) == found
    assert sys.meta_path == paths
    assert not hasattr(xml, "old")
    assert not hasattr(json, "coder")


def test_a_package_stands_for_another_and_so_do_the_modules_below_it() -> None:
    package = importlib.import_module("old_json")
    assert package.dumps([1]) == "[1]"
    assert package is not json
    assert importlib.import_module("old_json.decoder") is json.decoder
    assert json.decoder.__spec__.name == json.decoder.__name__ == "json.decoder"


def test_several_modules_can_serve_one() -> None:
    coder = importlib.import_module("old_json.coder")
    assert (coder.JSONDecoder, coder.JSONEncoder) == (
        json.decoder.JSONDecoder,
        json.encoder.JSONEncoder,
    )
    assert coder.__name__ == "old_json.coder"
    with pytest.raises(AttributeError, match=r"'old_json.coder' has no attribute 'other'"):
        _ = coder.other


def test_all_ways_to_import_find_it() -> None:
    namespace: dict[str, object] = {}
    exec("import old_json.decoder; from xml import old; from old_json import *", namespace)
    assert namespace["old"] is xml.dom.minidom
    assert namespace["dumps"] is json.dumps


def test_a_module_that_is_there_is_not_replaced() -> None:
    assert importlib.import_module("json") is json


def test_a_module_that_nothing_serves_is_explained() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'lost': .* Use json"):
        importlib.import_module("lost.part")


@pytest.mark.parametrize("name", ["moved", "old_json.nothing", "unheard_of"])
def test_what_the_table_does_not_help_to_find_is_missing_as_it_was(name: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=f"^No module named '{name}'$"):
        importlib.import_module(name)


@pytest.mark.parametrize("statement", ["import json.lost", "from json import lost"])
def test_every_kind_of_import_says_why_nothing_serves_a_module(statement: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=r"nobody needs it\. Use json\."):
        exec(statement)


@pytest.mark.parametrize(
    "statement", ["import json.left", "from json import left", "from json.left import name"]
)
def test_every_kind_of_import_says_which_package_to_install(statement: str) -> None:
    with pytest.raises(ModuleNotFoundError, match="not installed: pip install not-here") as raised:
        exec(statement)
    assert raised.value.name == "not_here"

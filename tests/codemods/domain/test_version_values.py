# SPDX-License-Identifier: Apache-2.0
"""Flags for TensorFlow's version that stand in another file of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.codemods.checks import check_transformed, reviews
from tests.codemods.projects import migrated

if TYPE_CHECKING:
    from pathlib import Path

FLAGS = """
TF24 = tuple(map(int, tf.__version__.split(".")[:2])) >= (2, 4)
IS_OLD = not TF24
AMP = use_amp()


def is_old():
    return IS_OLD


try:
    from tensorflow.keras.mixed_precision import set_global_policy
    KIND = "new"
except ImportError:
    KIND = "old"


class Versions:
    before = tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4)
"""
USE = "    tf.keras.mixed_precision.experimental.set_policy('float32')\n"


@pytest.mark.parametrize(
    ("condition", "is_guard"),
    [
        ("from pkg.flags import TF24\nif not TF24:\n", True),
        ("from pkg.flags import IS_OLD as OLD\nif OLD:\n", True),
        ("from pkg import flags\nif flags.IS_OLD:\n", True),
        ("import pkg.flags as f\nif f.is_old():\n", True),
        ("from pkg.flags import is_old\nif is_old():\n", True),
        ("from pkg import *\nif IS_OLD:\n", True),
        ("from pkg import IS_OLD\nif IS_OLD and AMP:\n", True),
        ("from pkg.flags import KIND\nif KIND == 'old':\n", True),
        ("from pkg.flags import Versions\nif Versions.before:\n", True),
        ("from pkg.flags import AMP\nif AMP:\n", False),
        ("from pkg.flags import IS_OLD\nif True or IS_OLD:\n", False),
        ("from pkg.flags import TF24\nif TF24:\n", False),
        ("from pkg.circle import A\nif A:\n", False),
    ],
)
def test_conditions_are_evaluated_across_files(
    condition: str, is_guard: bool, tmp_path: Path
) -> None:
    files = {
        "main.py": condition + USE,
        "pkg/__init__.py": "from .flags import *\n",
        "pkg/flags.py": FLAGS,
        "pkg/circle.py": "from .other import B\nA = B\n",
        "pkg/other.py": "from .circle import A\nB = A\n",
    }
    found = migrated(tmp_path, files)["main.py"]
    messages = [text for text in reviews(found) if "the branch for old versions" in text]
    assert bool(messages) is is_guard
    assert found.text.endswith(USE) is is_guard


def test_a_relative_import_of_a_flag(tmp_path: Path) -> None:
    source = f"from .flags import IS_OLD\nif IS_OLD:\n{USE}"
    files = {"pkg/use.py": source, "pkg/flags.py": FLAGS, "pkg/__init__.py": ""}
    assert migrated(tmp_path, files)["pkg/use.py"].text.endswith(source)


SGD = "tf.keras.optimizers.SGD()"
LEGACY = "tf.keras.optimizers.legacy.SGD()"


@pytest.mark.parametrize(
    ("lines", "is_reached"),
    [
        ("x = []\nfor y in z:\n    x.append(y)\nif x:\n    ", True),
        ("x = [1]\nx.clear()\nif not x:\n    ", True),
        ("x = []\nfill(x)\nif x:\n    ", True),
        ("x = []\ny = x\ny.append(1)\nif x:\n    ", True),
        ("def f():\n    x = []\n    x.append(1)\n    if not x:\n        return\n    ", True),
        ("class A:\n    x = []\nA.x.append(1)\nif A.x:\n    ", True),
        ("WITH_SGD = False\nif WITH_SGD:\n    ", True),
        ("OLD = ['2.2.3', '2.3.4']\nif tf.__version__ in OLD:\n    ", False),
    ],
)
def test_lists_can_be_filled_and_switches_can_be_turned(lines: str, is_reached: bool) -> None:
    head = "import tensorflow as tf\ntf.keras.mixed_precision.{}('float32')\n"
    after = LEGACY if is_reached else SGD
    check_transformed(
        f"{head.format('experimental.set_policy')}{lines}opt = {SGD}\n",
        f"{head.format('set_global_policy')}{lines}opt = {after}\n",
    )

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import importlib

import pytest

from tests.upstream.imports import TABLES, rewritten

TODAYS_NAMES = sorted({new for table in TABLES.values() for new in table.values()})


@pytest.mark.parametrize(
    ("repository", "line", "expected"),
    [
        (
            "keras",
            "from keras.mixed_precision import policy as mp_policy",
            "from tensorflow.python.keras.mixed_precision import policy as mp_policy",
        ),
        (
            "keras",
            "from keras.mixed_precision import test_util",
            "from tf_keras.src.mixed_precision import test_util as test_util",
        ),
        (
            "keras",
            "from keras.layers import recurrent",
            "from tf_keras.api._v1.keras import layers as recurrent",
        ),
        ("keras", "import keras", "import tf_keras as keras"),
        (
            "tensorflow",
            "    from tensorflow.python.keras.optimizer_v2 import adam",
            "    from tf_keras.src.optimizers.legacy import adam as adam",
        ),
        (
            "tensorflow",
            "from tensorflow.python.keras.mixed_precision.experimental import policy",
            "from tensorflow.python.keras.mixed_precision.experimental import policy as policy",
        ),
    ],
)
def test_an_import_is_of_the_longest_name_in_the_table(
    repository: str, line: str, expected: str
) -> None:
    assert rewritten(f"{line}\n", repository) == f"{expected}\n"


@pytest.mark.parametrize(
    "line",
    [
        "from __future__ import division",
        "import tensorflow as tf",
        "x = 'from keras import layers'",
        "# import keras",
    ],
)
def test_any_other_line_is_left(line: str) -> None:
    assert rewritten(f"{line}\n", "keras") == f"{line}\n"


@pytest.mark.parametrize(
    "new", sorted({new for table in TABLES.values() for new in table.values()})
)
def test_todays_names_are_there(new: str) -> None:
    module, _, name = new.rpartition(".")
    found = importlib.import_module(module)
    assert hasattr(found, name) or importlib.import_module(new)

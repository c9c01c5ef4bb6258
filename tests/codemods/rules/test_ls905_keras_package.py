# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest
from lossscale_codemods import migrate_source
from lossscale_codemods.domain import ProjectFiles
from lossscale_codemods.rewriting.engine import migrate_fully
from lossscale_codemods.tables.options import Options

from tests.codemods.checks import check_left, check_review, check_transformed

OLD = "tf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
NEW = "tf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
HEAD = "import tensorflow as tf\n"


IN_TRY = "try:\n    {} import keras\nexcept ImportError:\n    from tensorflow import keras"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import keras", "from tensorflow import keras"),
        ("import keras as k", "import tensorflow.keras as k"),
        ("import keras.backend as K, numpy", "import tensorflow.keras.backend as K, numpy"),
        ("from keras import layers, Model", "from tensorflow.keras import layers, Model"),
        ("from keras.layers import *", "from tensorflow.keras.layers import *"),
        ("from keras.layers import (\n    Dense,  # d\n)", None),
        ("def f():\n    import keras; return keras.Model", None),
        (IN_TRY.replace("{} ", ""), IN_TRY.format("from tensorflow")),
    ],
)
def test_imports_become_those_of_tensorflow(before: str, after: str | None) -> None:
    if after is None:
        after = before.replace("import keras", "from tensorflow import keras")
        after = after.replace("from keras.layers", "from tensorflow.keras.layers")
    check_transformed(f"{HEAD}{before}\n{OLD}", f"{HEAD}{after}\n{NEW}")


@pytest.mark.parametrize(
    "line",
    [
        "import keras.layers",
        "import keras, numpy",
        "from keras.engine.base_layer import Layer",
        "from keras.utils import conv_utils",
    ],
)
def test_what_has_no_place_in_tensorflow_is_reported(line: str) -> None:
    check_review(f"{HEAD}{line}\n{OLD}", f"{HEAD}{line}\n{NEW}", "Keras 3 now")


@pytest.mark.parametrize(
    "lines",
    [
        "from .keras import layers",
        "from keras_cv import layers",
        "import keras.layers  # lossscale: ignore",
        "import sys\nif tf.__version__ < '2':\n    import keras",
    ],
)
def test_other_imports_stay(lines: str) -> None:
    check_left(f"{HEAD}{lines}\n")


def test_optimizers_stay_of_their_family() -> None:
    check_transformed(
        f"{HEAD}from keras.optimizers import Adam\n{OLD}model.compile(Adam())\n",
        f"{HEAD}from tensorflow.keras.optimizers.legacy import Adam\n{NEW}model.compile(Adam())\n",
    )


def test_names_of_keras_are_old_names_of_tf_keras() -> None:
    before = (
        "import keras\n"
        "from keras.mixed_precision import experimental as mp\n"
        "opt = mp.LossScaleOptimizer(keras.optimizers.SGD(0.1), 'dynamic')\n"
        "print(opt.loss_scale())\n"
    )
    after = (
        "from tensorflow import keras\n"
        "from tensorflow.keras import mixed_precision as mp\n"
        "opt = mp.LossScaleOptimizer(keras.optimizers.legacy.SGD(0.1))\n"
        "print(opt.loss_scale)\n"
    )
    check_transformed(before, after)


def test_old_names_that_are_imported_themselves() -> None:
    before = "from keras.mixed_precision.experimental import set_policy\nset_policy('float32')\n"
    after = (
        "from tensorflow.keras.mixed_precision import set_global_policy as set_policy\n"
        "set_policy('float32')\n"
    )
    check_transformed(before, after)


def test_a_file_without_old_names_is_looked_at_if_it_scales_a_loss() -> None:
    before = "from keras import layers\nloss = model.optimizer.get_scaled_loss(loss)\n"
    check_transformed(before, before.replace("keras", "tensorflow.keras", 1))
    check_left("from keras import layers\n")


def test_a_package_of_the_programs_own_stays(tmp_path: Path) -> None:
    (tmp_path / "keras").mkdir()
    (tmp_path / "keras" / "__init__.py").write_text("")
    before, after = (f"{HEAD}from keras import layers\n{last}" for last in (OLD, NEW))
    result = migrate_fully(before.encode(), Options(), ProjectFiles(tmp_path / "train.py"))
    assert result.text == after


def test_keras_stays_with_keras_3() -> None:
    before = f"{HEAD}from keras import layers\n{OLD}"
    assert "from keras import layers" in migrate_source(before, target="keras3").text

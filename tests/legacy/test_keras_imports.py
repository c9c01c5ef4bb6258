# SPDX-License-Identifier: Apache-2.0
"""`import keras` in an old program: `tf.keras`, as it was from TensorFlow 2.6 to 2.15."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import python

pytestmark = pytest.mark.slow

PROGRAM = """\
import keras
import keras.backend as K
import keras.layers
from keras import layers, mixed_precision
from keras.engine.base_layer import Layer
from keras.layers.merge import concatenate
from keras.mixed_precision import experimental
from keras.src.engine import keras_tensor  # as tensorflow_addons has it
from keras.utils.generic_utils import CustomObjectScope
import numpy as np
import tensorflow as tf
import helper

assert keras.layers is layers is helper.layers
assert layers.Dense is tf.keras.layers.Dense
assert Layer is tf.keras.layers.Layer
assert concatenate is tf.keras.layers.concatenate
assert CustomObjectScope is tf.keras.utils.CustomObjectScope
assert K.floatx() == "float32"
assert keras_tensor.__name__ == "tf_keras.src.engine.keras_tensor"
assert keras.optimizers.SGD is tf.keras.optimizers.legacy.SGD
assert experimental.LossScaleOptimizer is tf.keras.mixed_precision.experimental.LossScaleOptimizer

try:
    import keras.no_such_module
except ModuleNotFoundError as error:
    print(error)

mixed_precision.set_global_policy("mixed_float16")
model = tf.keras.Sequential([layers.Dense(3), keras.layers.Dense(1, kernel_initializer="zeros")])
model.compile(experimental.LossScaleOptimizer(keras.optimizers.SGD(0.1), "dynamic"), "mse")
model.fit(np.ones((8, 4)), np.zeros((8, 1)), verbose=0)
print(float(model.optimizer.loss_scale()))
"""


def test_keras_is_that_of_tensorflow(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "helper.py").write_text("from keras import layers\n")
    done = python("-m", "compat_lossscale", "run", "train.py", cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["No module named 'keras.no_such_module'", "32768.0"]


def test_install_does_the_same_until_uninstall() -> None:
    source = (
        "import compat_lossscale\ncompat_lossscale.install()\n"
        "import keras.backend\nfrom keras.layers import Dense\nimport tensorflow as tf\n"
        "assert Dense is tf.keras.layers.Dense is keras.layers.Dense\n"
        "compat_lossscale.uninstall()\nimport keras\nfrom compat_lossscale import keras3\n"
        "assert issubclass(keras3.LossScaleOptimizer, keras.optimizers.LossScaleOptimizer)\n"
    )
    done = python("-c", source, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("keras", ["from compat_lossscale import keras3", "import keras"])
def test_keras_3_that_is_there_first_stays(keras: str) -> None:
    source = (
        "import compat_lossscale\ncompat_lossscale.install(%s)\n"
        f"{keras}\nimport keras\nprint(keras.__version__[0])\n"
    )
    first = python("-c", f"{keras}\n{source % ''}", timeout=120)
    assert first.stdout == "3\n", first.stderr
    after = python("-c", source % "neighbours=False", timeout=120)
    assert after.stdout == "3\n", after.stderr


def test_a_module_of_the_programs_own_stays(tmp_path: Path) -> None:
    (tmp_path / "keras").mkdir()
    (tmp_path / "keras" / "__init__.py").write_text("value = 3\n")
    (tmp_path / "keras" / "layers.py").write_text("value = 4\n")
    source = "import keras.layers\nfrom keras import value\nprint(keras.layers.value, value)\n"
    (tmp_path / "train.py").write_text(source)
    done = python("-m", "compat_lossscale", "run", "train.py", cwd=tmp_path, timeout=120)
    assert done.stdout == "4 3\n", done.stderr


def test_keras_3_is_there_without_what_run_serves_besides(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import keras\nprint(keras.__version__[0])\n")
    command = ("-m", "compat_lossscale", "run", "--only-loss-scale", "train.py")
    done = python(*command, cwd=tmp_path, timeout=120)
    assert done.stdout == "3\n", done.stderr

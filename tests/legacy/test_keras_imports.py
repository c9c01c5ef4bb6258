# SPDX-License-Identifier: Apache-2.0
"""`import keras` in a program under `run`: `tf.keras`, as it was from TensorFlow 2.6 to 2.15."""

from __future__ import annotations

from pathlib import Path

from tests.support import python

PROGRAM = """\
import keras
import keras.backend as K
import keras.layers
from keras import layers, mixed_precision
from keras.engine.base_layer import Layer
from keras.layers.merge import concatenate
from keras.mixed_precision import experimental
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
assert keras.optimizers.SGD is tf.keras.optimizers.legacy.SGD
assert experimental.LossScaleOptimizer is tf.keras.mixed_precision.experimental.LossScaleOptimizer

try:
    import keras.no_such_module
except ModuleNotFoundError as error:
    print(error)

mixed_precision.set_global_policy("mixed_float16")
model = tf.keras.Sequential([layers.Dense(3), keras.layers.Dense(1)])
model.compile(experimental.LossScaleOptimizer(keras.optimizers.SGD(0.1), "dynamic"), "mse")
model.fit(np.ones((8, 4)), np.ones((8, 1)), verbose=0)
print(float(model.optimizer.loss_scale()))
"""


def test_keras_is_that_of_tensorflow_in_the_programs_own_modules(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "helper.py").write_text("from keras import layers\n")
    done = python("-m", "compat_lossscale", "run", "train.py", cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["No module named 'keras.no_such_module'", "16384.0"]


def test_keras_stays_what_it_is_elsewhere(tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "installed"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("import keras\n")
    own = tmp_path / "own"
    (own / "keras").mkdir(parents=True)
    (own / "keras" / "__init__.py").write_text("value = 3\n")
    (own / "train.py").write_text(
        "import keras\nfrom keras import value\nprint(keras.value, value)\n"
    )
    source = (
        "import sys\n"
        "sys.path.append('site-packages')\n"
        "import installed\n"
        "print(installed.keras.__version__[0])\n"
    )
    (tmp_path / "train.py").write_text(source)
    for program, printed in (("own/train.py", "3 3"), ("train.py", "3")):
        done = python("-m", "compat_lossscale", "run", program, cwd=tmp_path, timeout=120)
        assert done.stdout.strip() == printed, done.stderr

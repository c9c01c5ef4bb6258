# SPDX-License-Identifier: Apache-2.0
"""`--tf1`, in one process per test: it turns TensorFlow 2 behaviour off for good."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support import python

PROGRAM = """\
import sys
import tensorflow
import tensorflow as tf
import tensorflow.train
import tensorflow.keras as keras
import tensorflow.keras.backend as K
from tensorflow import placeholder, layers, train
from tensorflow.keras.layers import Dense
from tensorflow.train import AdamOptimizer
from tensorflow.train.experimental import MixedPrecisionLossScaleOptimizer
from tensorflow.python.framework import ops
from tensorflow.core.protobuf import config_pb2
import tensorflow.compat.v1 as explicit
import tensorflow.compat.v2 as tf2
import helper

assert tf is tensorflow is explicit
assert tf.__name__ == "tensorflow.compat.v1" or "v1" in tf.__name__, tf.__name__
assert placeholder is tf.placeholder
assert train.AdamOptimizer is AdamOptimizer is tf.train.AdamOptimizer
assert MixedPrecisionLossScaleOptimizer is tf.train.experimental.MixedPrecisionLossScaleOptimizer
assert Dense is keras.layers.Dense
assert K.get_session
assert helper.tf is tf
assert not hasattr(tf2, "placeholder")
assert ops.Graph is tf.Graph
assert not tf.executing_eagerly()
assert sys.modules["tensorflow"].__name__ == "tensorflow"

try:
    import tensorflow.contrib.mixed_precision
except ModuleNotFoundError as error:
    print("contrib:", error)
try:
    from tensorflow.contrib import opt
except ModuleNotFoundError as error:
    print("contrib:", error)
try:
    import tensorflow.no_such_module
except ModuleNotFoundError as error:
    print("missing:", error)
try:
    from tensorflow import no_such_name
except ImportError as error:
    print("missing name:", type(error).__name__)
print("fine")
"""


def run_on_tf1(*arguments: str, **kwargs: Any) -> subprocess.CompletedProcess[str]:
    kwargs.setdefault("tensorflow_may_be_imported", True)
    return python("-m", "compat_lossscale", "run", "--tf1", *arguments, **kwargs)


@pytest.mark.slow
def test_tensorflow_means_tensorflow_1_in_the_programs_own_modules(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(PROGRAM)
    (tmp_path / "helper.py").write_text("import tensorflow as tf\ntf.placeholder\n")
    done = run_on_tf1(str(path), tensorflow_may_be_imported=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "fine"
    assert [line.split(":")[0] for line in lines[:-1]] == [
        "contrib",
        "contrib",
        "missing",
        "missing name",
    ]
    assert "tf.contrib ended with TensorFlow 1" in lines[0]
    assert "No module named 'tensorflow.no_such_module'" in lines[2]


def test_installed_packages_go_on_getting_tensorflow_2(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(
        "import tensorflow as tf\n"
        "import tf_keras.src.engine.training as training\n"
        "import tf_keras.src.legacy_tf_layers.core as imported_now\n"
        "assert training.tf is not tf and imported_now.tf is not tf\n"
        "print(hasattr(tf, 'placeholder'), hasattr(imported_now.tf, 'placeholder'))\n"
    )
    done = run_on_tf1(str(path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["True", "False"]


def test_a_traceback_shows_no_frames_of_the_redirected_imports(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("try:\n    import helper\nexcept ValueError:\n    1 / 0\n")
    (tmp_path / "helper.py").write_text("import tensorflow as tf\nimport deeper\n")
    (tmp_path / "deeper.py").write_text("raise ValueError('here')\n")
    done = run_on_tf1(str(tmp_path / "train.py"))
    assert done.returncode == 1
    start = done.stderr.index("Traceback")
    files = [
        line.split('"')[1] for line in done.stderr[start:].splitlines() if line.startswith("  File")
    ]
    assert [Path(file).name for file in files] == [
        "train.py", "helper.py", "deeper.py", "train.py",
    ]  # fmt: skip


def test_a_program_from_standard_input_is_redirected_too() -> None:
    program = "import sys\nimport tensorflow as tf\nprint(tf.placeholder.__name__, sys.argv)\n"
    done = run_on_tf1("-", "a", "b", given=program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "placeholder ['-', 'a', 'b']"

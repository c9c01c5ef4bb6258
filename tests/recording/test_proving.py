# SPDX-License-Identifier: Apache-2.0
"""`migrate --prove` runs the program both ways, says what came of it, and writes only then."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from compat_lossscale.recording import proving, recorder
from compat_lossscale.recording.comparison import FIXED_RANDOM
from tests.schemas import ours
from tests.support import python

PROGRAM = """
import os
import numpy as np
import tensorflow as tf
{before}
w = tf.Variable(np.ones(3, "float32"), name="w")
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.1), "dynamic"
)
for i in range(4):
    opt.apply_gradients([(w + 1.0, w)])
open("left.txt", "w").write("x")
print("scale", float(opt.loss_scale()))
"""
UNSTABLE = "np.ones = lambda *_: np.frombuffer(os.urandom(3), 'uint8').astype('float32')"
DIFFERENT = "tf.keras.optimizers.SGD = type('SGD', (tf.keras.optimizers.Adam,), {})"
FAILING = (
    "import sys\nif 'compat_lossscale' not in sys.modules: raise RuntimeError('only when migrated')"
)
IN_A_THREAD = f"""import threading
v, other = tf.Variable(1.0), tf.keras.optimizers.SGD(0.1)
thread = threading.Thread(target=lambda: other.apply_gradients([(v + 1.0, v)]))
thread.start()
thread.join()
{DIFFERENT}"""
ENDING_BY_CHANCE = (
    "import pathlib\nruns = pathlib.Path(r'{runs}')\nrun = len(runs.read_text())\n"
    "runs.write_text('x' * (run + 1))\nif run == 2: raise RuntimeError('in the third run')"
)
NEARLY = (
    "import sys\n"
    "np.ones = lambda *_: np.full(3, 1 + 1e-4 * ('compat_lossscale' in sys.modules), 'float32')"
)


def prove(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Migrates a folder with a proof."""
    return python(
        "-m", "compat_lossscale", "migrate", ".", "--prove", "train.py", *options, cwd=folder,
        timeout=300,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["tf-keras", "compat", "keras3"])
def test_a_right_migration_is_proven_and_then_written(target: str, tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text(PROGRAM.format(before=""))
    done = prove(tmp_path, "--target", target, "--write", "--steps", "3", "--json")
    report = json.loads(done.stdout)
    ours.check(report, "migrate")
    assert report["proof"]["verdict"] == "same", report["proof"]
    assert report["totals"]["files written"] == 1
    assert "mixed_precision.experimental" not in program.read_text()
    assert not (tmp_path / "left.txt").exists()


STOPS = """import numpy as np
import tensorflow as tf
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
model.compile(tf.keras.optimizers.SGD(0.1), "mse")
model.fit(np.ones((4, 2)), np.ones(4), verbose=0)
tf.keras.backend.set_learning_phase(0)
"""


@pytest.mark.slow
def test_the_line_of_a_difference_is_one_of_the_file_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(STOPS)
    done = prove(tmp_path, "--target", "keras3", "--quiet")
    assert "set_learning_phase'   (train.py:7)" in done.stdout, done.stdout
    assert "train.py:7:1: LS911" in done.stdout


BEGINNING = """
import numpy as np
import tensorflow as tf
tf.keras.mixed_precision.experimental.set_policy("float32")
model = tf.keras.Sequential([tf.keras.layers.Dropout({dropout}), tf.keras.layers.Dense(1)])
model.build((None, 4))
model.compile(tf.keras.optimizers.SGD(0.1), "mse")
random = np.random.RandomState(0)
"""
GENERATOR = """
class Data(tf.keras.utils.Sequence):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        x = random.rand(8, 4).astype("float32")
        return x, x.sum(1)
model.fit(Data(), verbose=0, shuffle=False)
"""
SHUFFLED = """
x = random.rand(29, 4).astype("float32")
data = tf.data.Dataset.from_tensor_slices((x, x.sum(1))).batch(8).shuffle(4)
model.fit(data, epochs=2, verbose=0)
"""
FITTED = """
x = random.rand(24, 4).astype("float32")
model.fit(x, x.sum(1), batch_size=8, epochs=3, verbose=0)
"""


@pytest.mark.nightly
@pytest.mark.parametrize("data", [GENERATOR, SHUFFLED, FITTED])
@pytest.mark.parametrize("dropout", [0, 0.5])
def test_keras_3_gets_the_data_of_the_unchanged_program_without_random_layers(
    data: str, dropout: float, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(BEGINNING.format(dropout=dropout) + data)
    done = prove(tmp_path, "--target", "keras3")
    assert "Same " in done.stdout, done.stdout
    assert proving.OTHER_DATA.format(8) in done.stdout
    assert (FIXED_RANDOM in done.stdout) == (dropout > 0 or data == SHUFFLED)


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("before", "verdict"),
    [
        (UNSTABLE, "Cannot be told"),
        (DIFFERENT, "Different"),
        (IN_A_THREAD, "Different"),
        (f"{UNSTABLE}\n{FAILING}", "after:  RuntimeError: only when migrated"),
    ],
)
def test_what_is_not_proven_is_not_written(before: str, verdict: str, tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    source = PROGRAM.format(before=before)
    program.write_text(source)
    done = prove(tmp_path, "--write")
    assert done.returncode & 1
    assert verdict in done.stdout
    assert program.read_text() == source


DEEP = """
import numpy as np
import tensorflow as tf
model = tf.keras.applications.MobileNetV2((64, 64, 3), weights=None, classes=10)
optimizer = tf.keras.optimizers.Adam({learning_rate})
optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, "dynamic")
model.compile(optimizer, "sparse_categorical_crossentropy")
draw = np.random.RandomState(0)
data = draw.rand(32, 64, 64, 3).astype("float32"), draw.randint(0, 10, 32)
model.fit(*data, batch_size=16, epochs=2, shuffle=False, verbose=2)
"""


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("learning_rate", "verdict"),
    [
        ("1e-3", "Same for 4 steps, as far as rounding lets it be told."),
        ("1e-3 if tf.keras.__version__ < '3' else 1.1e-3", "Different from step 1 on"),
    ],
)
def test_a_network_that_makes_much_of_rounding(
    learning_rate: str, verdict: str, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(DEEP.format(learning_rate=learning_rate))
    assert verdict in prove(tmp_path, "--target", "keras3").stdout


@pytest.mark.nightly
def test_a_tolerance_is_taken(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM.format(before=NEARLY))
    assert "Same within 0.0003 for 4 steps." in prove(tmp_path, "--rtol", "0.001").stdout


@pytest.mark.nightly
def test_a_program_that_ends_by_chance_is_not_told(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.write_text("")
    folder = tmp_path / "program"
    folder.mkdir()
    before = f"{ENDING_BY_CHANCE.format(runs=runs)}\n{DIFFERENT}"
    (folder / "train.py").write_text(PROGRAM.format(before=before))
    assert "does not end the same way twice" in prove(folder).stdout


@pytest.mark.nightly
def test_what_the_program_prints_otherwise_in_each_run_is_left_out(tmp_path: Path) -> None:
    printing = "print('speed', int.from_bytes(os.urandom(4), 'big'))"
    (tmp_path / "train.py").write_text(PROGRAM.format(before=printing))
    printed = prove(tmp_path).stdout
    assert "Same to the bit for 4 steps, without what the program does not reproduce: 1" in printed
    assert "Left out, for the program does not reproduce it: 1 printed line" in printed


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["keras3", "tf-keras"])
def test_a_program_that_fails_before_its_first_step_is_named_with_its_error(
    tmp_path: Path, target: str
) -> None:
    (tmp_path / "train.py").write_text(PROGRAM.format(before="import no_such_module"))
    printed = prove(tmp_path, "--target", target).stdout
    assert "which ended with ModuleNotFoundError: No module named" in printed


OF_TENSORFLOW_1 = """
import tensorflow as tf
w = tf.get_variable("w", initializer=1.0)
optimizer = tf.train.GradientDescentOptimizer(0.1)
optimizer = tf.train.experimental.MixedPrecisionLossScaleOptimizer(optimizer, 8.0)
step = optimizer.minimize(w * w)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(step)
"""


@pytest.mark.nightly
def test_a_program_of_tensorflow_1_is_proven_when_it_says_so_itself(tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text(OF_TENSORFLOW_1)
    options = ("-m", "compat_lossscale", "migrate", ".", "--prove")
    printed = python(*options, "--tf1 train.py", cwd=tmp_path).stdout
    assert proving.AS_PYTHON_RUNS_IT in printed
    itself = "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()"
    program.write_text(OF_TENSORFLOW_1.replace("import tensorflow as tf", itself))
    printed = python(*options, "train.py", cwd=tmp_path).stdout
    assert "Same to the bit for 1 step." in printed


def test_a_program_that_cannot_run_says_why(tmp_path: Path) -> None:
    with pytest.raises(proving.ProofError, match="needs a program"):
        proving.prove(tmp_path, {}, "--tf1")
    with pytest.raises(proving.ProofError, match="makes one of a notebook"):
        proving.prove(tmp_path, {}, "train.ipynb --epochs 1")
    with pytest.raises(proving.ProofError, match="takes no --steps"):
        proving.prove(tmp_path, {}, "--tf1 --steps 3 train.py")
    with pytest.raises(proving.ProofError, match="outside of"):
        proving._copied(tmp_path, tmp_path.parent / "top", {Path("/etc/hosts"): b""})


def test_what_stands_beside_the_folder_is_found_from_its_copy(tmp_path: Path) -> None:
    project = tmp_path / "here" / "project"
    project.mkdir(parents=True)
    (project / "train.py").write_text("old")
    (project.parent / "data.csv").write_text("1,2")
    copy = proving._copied(project, tmp_path / "there", {project / "train.py": b"new"})
    assert (copy / "train.py").read_text() == "new"
    assert (copy / ".." / "data.csv").read_text() == "1,2"
    assert (project / "train.py").read_text() == "old"


def test_a_folder_that_is_too_large_is_not_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "LARGEST_COPY", 10)
    (tmp_path / "data.bin").write_bytes(b"x" * 11)
    with pytest.raises(proving.ProofError, match="too much to copy"):
        proving.prove(tmp_path, {}, "train.py")

# SPDX-License-Identifier: Apache-2.0
"""The recorder sees every step of programs of each kind, and changes nothing about them."""

from __future__ import annotations

import ast
import gzip
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compat_lossscale.recording.comparison import (
    DATA_NOT_SEEN,
    FIXED_RANDOM,
    ComparisonVerdict,
    compare,
    relative,
)
from compat_lossscale.recording.reading import Recording, read
from tests.recording.loading import RECORDER, recorder
from tests.support import python

HERE = Path(__file__).parent
STORED = sorted((HERE / "recordings").glob("*.lsr"))
LOOP = """
import sys
import numpy as np
import tensorflow as tf
w = tf.Variable(np.arange(6.0, dtype="float32").reshape(2, 3), name="w")
opt = tf.keras.optimizers.legacy.Adam(0.1)
for i in range(5):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * w)
    opt.apply_gradients([(tape.gradient(loss, w), w)])
    print("step", i, float(loss))
print(sys.argv[1:], __name__, __file__.endswith("train.py"))
"""


def record(
    folder: Path, source: str, *options: str, arguments: tuple[str, ...] = (), keras: str = "1"
) -> tuple[Recording, subprocess.CompletedProcess[str]]:
    """Records a program, and returns the recording and what was seen of the process."""
    (folder / "train.py").write_text(source)
    done = python(
        str(RECORDER), "-o", "it.lsr", *options, "train.py", *arguments, cwd=folder,
        environment={"TF_USE_LEGACY_KERAS": keras}, tensorflow_may_be_imported=True,
    )  # fmt: skip
    return read(str(folder / "it.lsr")), done


def test_it_is_one_file_for_python_3_6_with_the_standard_library_alone() -> None:
    tree = ast.parse(RECORDER.read_text(), feature_version=(3, 6))
    ours = {"compat_lossscale", "numpy", "tensorflow", "keras", "tf_keras"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert not {alias.name.partition(".")[0] for alias in node.names} & ours
        elif isinstance(node, ast.ImportFrom):
            assert node.module != "__future__"
            assert (node.module or "").partition(".")[0] not in ours


def test_a_program_prints_and_gets_what_it_would_without(tmp_path: Path) -> None:
    recording, done = record(tmp_path, LOOP, arguments=("-x", "--steps", "3"))
    plain = python(
        "train.py", "-x", "--steps", "3", cwd=tmp_path,
        environment={"TF_USE_LEGACY_KERAS": "1"}, tensorflow_may_be_imported=True,
    )  # fmt: skip
    assert done.stdout == plain.stdout
    assert done.returncode == 0
    one = recording.optimizers[0]
    assert (one.title, one.at, one.names) == ("Adam", "train.py:6", ["w"])
    assert [s.steps for s in one.steps] == [1, 2, 3, 4, 5]
    assert {s.at for s in one.steps} == {"train.py:10"}
    assert set(one.steps[0].arrays) == {"variables", "m", "v"}
    assert [line.text for line in recording.printed] == plain.stdout.splitlines()


@pytest.mark.parametrize(
    ("ending", "code", "error"),
    [
        ("raise SystemExit(0)", 0, None),
        ("raise SystemExit(7)", 7, "SystemExit"),
        ("raise ValueError('wrong')", 1, "ValueError"),
        ("sys.exit('stopped')", 1, "SystemExit"),
    ],
)
def test_a_program_exits_as_it_exits(
    ending: str, code: int, error: str | None, tmp_path: Path
) -> None:
    recording, done = record(tmp_path, f"import sys\n{ending}\n")
    assert done.returncode == code
    assert recording.end is not None
    assert recording.end["exit"] == code
    assert (recording.end["error"] or {}).get("class") == error
    if error:
        assert "recorder" not in done.stderr
        assert recording.end["error"]["at"] == "train.py:2"


def test_a_program_that_is_killed_soon_leaves_a_recording_without_an_end(tmp_path: Path) -> None:
    recording, done = record(tmp_path, "import os\nos._exit(3)\n")
    assert done.returncode == 3
    assert recording.end is None


def test_an_error_in_a_function_is_named_by_its_message(tmp_path: Path) -> None:
    layer = (
        "class Net(tf.keras.layers.Layer):\n    def call(self, x):\n        raise TypeError('no')\n"
    )
    step = "net = Net()\n@tf.function\ndef step(x):\n    return net(x)\nstep(tf.ones(2))\n"
    recording, _ = record(tmp_path, f"import tensorflow as tf\n{layer}{step}")
    assert recording.end is not None
    assert recording.end["error"]["text"].startswith("Exception encountered")
    assert " no " in recording.end["error"]["text"]


def test_steps_end_a_program_cleanly(tmp_path: Path) -> None:
    source = LOOP.replace("for i", "import atexit\natexit.register(print, 'clean')\nfor i")
    recording, done = record(tmp_path, source, "--steps", "2")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "clean"
    assert len(recording.optimizers[0].steps) == 2
    assert recording.end is not None
    assert recording.end["limited"]


@pytest.mark.parametrize("more", [(), ("--twice",)])
def test_steps_end_a_program_that_catches_everything(more: tuple[str, ...], tmp_path: Path) -> None:
    step = "opt.apply_gradients([(tape.gradient(loss, w), w)])"
    caught = f"try:\n        {step}\n    except:\n        print('caught')\n        continue"
    source = LOOP.replace(step, caught).replace("range(5)", "iter(int, 1)")
    recording, done = record(tmp_path, source, "--steps", "2", *more)
    assert done.returncode == 0
    assert done.stdout.count("caught") == 1
    assert (recording.unstable == {}) is bool(more)
    assert len(recording.optimizers[0].steps) == 2
    assert recording.end is not None
    assert recording.end["limited"]


def test_steps_end_each_thread_that_trains_and_not_what_waits_for_them(tmp_path: Path) -> None:
    source = (
        "import threading\nimport tensorflow as tf\n"
        "def train():\n    w = tf.Variable(1.0)\n"
        "    opt = tf.keras.optimizers.legacy.SGD(0.1)\n"
        "    while True:\n        opt.apply_gradients([(tf.constant(1.0), w)])\n"
        "threads = [threading.Thread(target=train) for _ in range(2)]\n"
        "for one in threads:\n    one.start()\n"
        "for one in threads:\n    one.join()\n"
        "print('joined')\n"
    )
    _, done = record(tmp_path, source, "--steps", "2")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "joined"


def test_a_recording_that_is_too_large_is_reported_at_its_end(tmp_path: Path) -> None:
    more = "import tensorflow as tf\nv = tf.Variable(np.random.rand(2**18))\n"
    step = "tf.keras.optimizers.legacy.SGD(0.1).apply_gradients([(tf.ones(2**18, v.dtype), v)])\n"
    given = ("--limit", "1", "--with-initial-values")
    _, done = record(tmp_path, f"import numpy as np\n{more}{step}", *given)
    assert "has reached its --limit" in done.stderr


def test_every_kth_step_is_recorded(tmp_path: Path) -> None:
    recording, _ = record(tmp_path, LOOP, "--every", "3")
    assert [s.number for s in recording.optimizers[0].steps] == [0, 1, 3]


def test_the_seed_comes_before_the_program_and_the_programs_own_counts(tmp_path: Path) -> None:
    source = (
        "import random\nimport numpy as np\nimport tensorflow as tf\n"
        "print(random.random(), np.random.rand(), float(tf.random.uniform([])))\n"
    )
    printed = {
        seed: [record(tmp_path, source, "--seed", seed)[0].printed for _ in range(2)]
        for seed in ("0", "5")
    }
    assert printed["0"][0] == printed["0"][1] != printed["5"][0] == printed["5"][1]
    own = source.replace("print", "random.seed(1)\nnp.random.seed(1)\ntf.random.set_seed(1)\nprint")
    assert record(tmp_path, own)[0].printed == record(tmp_path, own, "--seed", "3")[0].printed


@pytest.mark.parametrize("draw", ["numpy.random.rand()", "random.random()"])
def test_the_seeds_hold_beyond_an_import_that_draws(draw: str, tmp_path: Path) -> None:
    # Where JAX is installed, TensorFlow imports it, and it draws from NumPy; Keras 3 from Python.
    (tmp_path / "tensorflow_core.py").write_text(f"import numpy, random\n{draw}\n")
    drawn = {
        record(tmp_path, f"import numpy, random\n{then}print({draw})\n")[0].printed[0].text
        for then in ("", "import tensorflow_core\n")
    }
    assert len(drawn) == 1


@pytest.mark.slow
def test_twice_tells_what_is_not_reproduced(tmp_path: Path) -> None:
    source = LOOP.replace("i in range(5):", "i in range(5):\n    if i == 3: w.assign(w + noise)")
    source = source.replace("opt =", "import os\nnoise = float(os.urandom(1)[0])\nopt =")
    recording, done = record(tmp_path, source, "--twice")
    assert done.returncode == 0
    assert recording.unstable is not None
    assert recording.unstable[0, "variables", 0] == 3
    assert (0, "steps", -1) not in recording.unstable
    again, _ = record(tmp_path, LOOP, "--twice")
    assert again.unstable == {}


def test_values_are_kept_only_if_that_is_asked(tmp_path: Path) -> None:
    def content(*options: str) -> bytes:
        record(tmp_path, LOOP, *options)
        return gzip.decompress((tmp_path / "it.lsr").read_bytes())

    assert b'"initial"' not in content()
    assert b'"values"' not in content()
    assert b'"initial"' in content("--with-initial-values")
    assert b'"values"' in content("--with-values")


def test_a_recording_begins_with_the_values_and_data_of_another(tmp_path: Path) -> None:
    source = (
        "import numpy as np\nimport tensorflow as tf\n"
        "rng = np.random.RandomState(SEED)\n"
        "w = tf.Variable(rng.randn(4, 2).astype('float32'), name='w')\n"
        "opt = tf.keras.optimizers.legacy.SGD(0.1)\n"
        "@tf.function\ndef train(x):\n"
        "    with tf.GradientTape() as tape:\n        loss = tf.reduce_sum(tf.matmul(x, w) ** 2)\n"
        "    opt.apply_gradients([(tape.gradient(loss, w), w)])\n"
        "for i in range(3):\n    train(tf.constant(rng.randn(5, 4), tf.float32))\n"
    )
    kept = ("--with-initial-values", "--fix-data", "3")
    before, _ = record(tmp_path, source.replace("SEED", "1"), *kept)
    (tmp_path / "it.lsr").rename(tmp_path / "before.lsr")
    other, _ = record(tmp_path, source.replace("SEED", "2"))
    assert compare(before, other).parted == "initial values"
    after, _ = record(tmp_path, source.replace("SEED", "2"), "--start-from", "before.lsr")
    assert compare(before, after).reason == "same to the bit for 3 steps"


def test_a_model_of_keras_3_is_recorded(tmp_path: Path) -> None:
    source = (
        "import keras, numpy as np\n"
        "keras.mixed_precision.set_dtype_policy('mixed_float16')\n"
        "model = keras.Sequential([keras.layers.Dense(3), keras.layers.Dense(1)])\n"
        "model.compile(keras.optimizers.Adam(0.1), 'mse')\n"
        "model.fit(np.ones((64, 4)), np.ones((64, 1)), batch_size=32, verbose=0)\n"
    )
    recording, _ = record(tmp_path, source, keras="0")
    one = recording.optimizers[0]
    assert one.title == "LossScaleOptimizer(Adam)"
    seen = [(s.scale, s.good, s.applied) for s in one.steps]
    assert seen == [(2.0**14, 0.0, False), (2.0**14, 1.0, True)]
    assert one.policy == "mixed_float16"
    assert None not in one.first
    assert recording.fits[0] is not None


def test_the_policy_of_keras_3_is_that_of_the_program_and_not_of_a_replica(tmp_path: Path) -> None:
    source = (
        "import keras, tensorflow as tf\n"
        "keras.mixed_precision.set_dtype_policy('mixed_float16')\n"
        "strategy = tf.distribute.MirroredStrategy(['/cpu:0'])\n"
        "with strategy.scope():\n"
        "    variable = keras.Variable(1.0)\n"
        "    optimizer = keras.optimizers.SGD(0.1)\n"
        "    optimizer.build([variable])\n"
        "step = lambda: optimizer.apply([tf.constant(1.0)], [variable])\n"
        "tf.function(lambda: strategy.run(step))()\n"
    )
    recording, _ = record(tmp_path, source, keras="0")
    assert recording.optimizers[0].policy == "mixed_float16"


@pytest.mark.parametrize(
    ("keras", "backend"), [("0", "jax"), ("0", "tensorflow"), ("1", "tensorflow")]
)
def test_each_step_of_fit_is_recorded_on_each_backend(
    keras: str, backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERAS_BACKEND", backend)
    name = "tf_keras" if keras == "1" else "keras"
    source = (
        f"import numpy as np, {name} as keras\n"
        "model = keras.Sequential([keras.layers.Dense(1)])\n"
        "model.build((None, 4))\n"
        "model.compile(keras.optimizers.Adam(0.1), 'mse')\n"
        "model.fit(np.ones((96, 4)), np.ones((96, 1)), batch_size=32, verbose=0)\n"
        "model.save_weights('it.weights.h5')\n"
        "model.save('it.keras')\n"
    )
    recording, done = record(tmp_path, source, keras=keras)
    assert done.returncode == 0, done.stderr
    one = recording.optimizers[0]
    assert [s.steps for s in one.steps] == [1, 2, 3]
    assert {s.at for s in one.steps} == {"train.py:5"}
    assert [len(one.steps[0].arrays[kind]) for kind in one.steps[0].arrays] == [2, 2, 2]
    assert len({s.arrays["variables"][0] for s in one.steps}) == 3
    assert [name for name, _ in recording.saves] == ["it.weights.h5", "it.keras"]
    assert sorted(map(tuple, recording.saves[0][1].values())) == [(1,), (4, 1)]


NET = """
import sys
import tensorflow as tf

class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.a = tf.keras.layers.Dense(3, activation="relu")
        self.b = tf.keras.layers.Dense(3)

    def call(self, x):
        return self.b(self.a(x))

tf.keras.layers.Dense(3).build((4, 3))  # is not trained
net = Net()
x = tf.reshape(tf.range(12.0), [4, 3]) / 12.0
opt = tf.keras.optimizers.SGD(0.1)

def gradients(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(x) - 1.0) ** 2)
    return tape.gradient(loss, net.trainable_variables)

def apply(gradients):
    opt.apply_gradients(zip(gradients, net.trainable_variables))

if sys.argv[1] == "function":
    gradients = tf.function(gradients)
for i in range(4):
    apply(gradients(x))
"""


@pytest.mark.parametrize("keras", ["1", "0"], ids=["tf-keras", "keras3"])
@pytest.mark.parametrize("how", ["eager", "function"])
def test_the_first_gradients_are_of_the_values_of_the_other_recording(
    how: str, keras: str, tmp_path: Path
) -> None:
    before, _ = record(tmp_path, NET, "--with-initial-values", arguments=(how,))
    (tmp_path / "it.lsr").rename(tmp_path / "before.lsr")
    options = ("--seed", "1", "--start-from", "before.lsr")
    after, _ = record(tmp_path, NET, *options, arguments=(how,), keras=keras)
    assert after.optimizers[0].first == before.optimizers[0].first
    result = compare(before, after)
    assert result.verdict is ComparisonVerdict.SAME, result.reason
    assert result.steps == 4


@pytest.mark.parametrize("keras", ["1", "0"], ids=["tf-keras", "keras3"])
def test_a_model_that_is_made_later_begins_with_its_values_too(keras: str, tmp_path: Path) -> None:
    source = (
        "import numpy as np, tensorflow as tf\n"
        "x = np.random.RandomState(SEED).rand(8, 4).astype('float32')\n"
        "data = tf.data.Dataset.from_tensor_slices(x).batch(4)\n"
        "for layers in range(1, 3):\n"
        "    model = tf.keras.Sequential([tf.keras.layers.Dense(4) for _ in range(layers)])\n"
        "    model.build((None, 4))\n"
        "    opt = tf.keras.optimizers.Adam(0.1)\n"
        "    for batch in data:\n"
        "        with tf.GradientTape() as tape:\n"
        "            loss = tf.reduce_mean((model(batch) - 1.0) ** 2)\n"
        "        gradients = tape.gradient(loss, model.trainable_variables)\n"
        "        opt.apply_gradients(zip(gradients, model.trainable_variables))\n"
    )
    before, _ = record(tmp_path, source.replace("SEED", "0"), "--with-initial-values")
    (tmp_path / "it.lsr").rename(tmp_path / "before.lsr")
    options = ("--seed", "1", "--start-from", "before.lsr")
    after, _ = record(tmp_path, source.replace("SEED", "0"), *options, keras=keras)
    assert after.end is not None
    assert not after.end["problems"]
    assert compare(before, after).verdict is ComparisonVerdict.SAME
    assert [len({s.data for s in one.steps} - {None}) for one in after.optimizers] == [2, 2]
    other, _ = record(tmp_path, source.replace("SEED", "2"), *options, keras=keras)
    assert compare(before, other).parted == "data"


DROPOUT = """
import tensorflow as tf

kernel = tf.Variable(tf.compat.v1.glorot_uniform_initializer()([3, 1]))
opt = tf.keras.optimizers.SGD(0.1)
for i in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.dropout(kernel, 0.5) if i else kernel)
    opt.apply_gradients([(tape.gradient(loss, kernel), kernel)])
"""


def test_random_operations_count_but_for_initializers(tmp_path: Path) -> None:
    recording, _ = record(tmp_path, DROPOUT)
    (one,) = recording.optimizers
    assert [step.draws[0] for step in one.steps] == [0, 1, 1]


LAST_FIRST = """
import tensorflow as tf

kernels = [tf.Variable(tf.random.normal([3]), name="kernel") for _ in range(3)]
trained = [(kernel, tf.keras.optimizers.SGD(0.1)) for kernel in reversed(kernels)]
for i in range(2):
    for kernel, opt in trained:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(kernel ** 2)
        opt.apply_gradients([(tape.gradient(loss, kernel), kernel)])
"""


def test_variables_of_one_name_begin_in_the_order_in_which_they_were_made(tmp_path: Path) -> None:
    before, _ = record(tmp_path, LAST_FIRST, "--with-initial-values")
    (tmp_path / "it.lsr").rename(tmp_path / "before.lsr")
    after, _ = record(tmp_path, LAST_FIRST, "--seed", "1", "--start-from", "before.lsr")
    assert len(after.optimizers) == 3
    assert compare(before, after).reason == "same to the bit for 2 steps"


@pytest.mark.parametrize(("policy", "part"), [("float32", 2.0**-20), ("mixed_float16", 2.0**-11)])
def test_values_can_begin_with_other_last_digits(policy: str, part: float, tmp_path: Path) -> None:
    line = f"tf.keras.mixed_precision.set_global_policy({policy!r})\n"
    source = NET.replace("import tensorflow as tf\n", f"import tensorflow as tf\n{line}")
    before, _ = record(tmp_path, source, "--with-initial-values", arguments=("eager",))
    (tmp_path / "it.lsr").rename(tmp_path / "before.lsr")
    options = ("--start-from", "before.lsr", "--nudge")
    after, _ = record(tmp_path, source, *options, arguments=("eager",))
    sizes = [
        relative(one, other)
        for one, other in zip(before.optimizers[0].first, after.optimizers[0].first, strict=True)
        if one is not None and other is not None and one.norm
    ]
    assert sizes
    assert all(part / 4 < size < 4 * part for size in sizes), sizes


@pytest.mark.parametrize(
    ("decorator", "is_late"),
    [("", True), ("@tf.function\n", False), ("@tf.function(reduce_retracing=True)\n", True)],
    ids=["eager", "traced", "run eagerly"],
)
def test_first_gradients_of_other_values_are_noted(
    decorator: str, is_late: bool, tmp_path: Path
) -> None:
    source = (
        "import tensorflow as tf\n"
        f"tf.config.run_functions_eagerly({is_late})\n"
        "w = tf.Variable(tf.random.normal([2]), name='SEED')\n"
        "opt = tf.keras.optimizers.legacy.SGD(0.1)\n"
        f"{decorator}def step():\n"
        "    opt.apply_gradients([(w * w, w)])\n"
        "for i in range(2):\n"
        "    step()\n"
    )
    record(tmp_path, source, "--with-initial-values")
    (tmp_path / "it.lsr").rename(tmp_path / "before.lsr")
    other = source.replace("SEED", "other")
    after, _ = record(tmp_path, other, "--seed", "1", "--start-from", "before.lsr")
    assert after.end is not None
    assert list(after.end["problems"]) == [recorder().LATE] * is_late


def test_a_model_that_is_made_after_the_first_step_begins_likewise(tmp_path: Path) -> None:
    source = (
        "import tensorflow as tf\n"
        "for name in ('one', 'two'):\n"
        "    tf.Variable(tf.random.normal([2]), name='untrained')\n"
        "    w = tf.Variable(tf.random.normal([2]), name=name)\n"
        "    opt = tf.keras.optimizers.legacy.SGD(0.1)\n"
        "    opt.apply_gradients([(w * w, w)])\n"
    )
    before, _ = record(tmp_path, source, "--with-initial-values")
    (tmp_path / "it.lsr").rename(tmp_path / "before.lsr")
    after, _ = record(tmp_path, source, "--seed", "1", "--start-from", "before.lsr")
    assert after.end is not None
    assert not after.end["problems"]
    steps = [[one.steps[0].arrays for one in side.optimizers] for side in (before, after)]
    assert len(steps[0]) == 2
    assert steps[0] == steps[1]


@pytest.mark.slow
@pytest.mark.parametrize("keras", ["1", "0"], ids=["tf-keras", "keras3"])
def test_the_data_of_fit_is_kept_and_replayed(keras: str, tmp_path: Path) -> None:
    source = (
        "import numpy as np, tensorflow as tf\n"
        "x = np.random.RandomState(SEED).rand(96, 4).astype('float32')\n"
        "model = tf.keras.Sequential([tf.keras.layers.Dense(1, 'linear', True, 'zeros')])\n"
        "model.compile(tf.keras.optimizers.SGD(0.1), 'mse')\n"
        "y = x.sum(1)\n"
        "model.fit(x, y, batch_size=32, validation_data=(x, y), verbose=0, shuffle=False)\n"
    )
    before, _ = record(tmp_path, source.replace("SEED", "1"), "--fix-data", "3", keras=keras)
    assert len({s.data for s in before.optimizers[0].steps}) == 3
    (tmp_path / "it.lsr").rename(tmp_path / "before.lsr")
    other, _ = record(tmp_path, source.replace("SEED", "2"), keras=keras)
    assert compare(before, other).parted == "data"
    options = ("--start-from", "before.lsr")
    after, _ = record(tmp_path, source.replace("SEED", "2"), *options, keras=keras)
    assert compare(before, after).reason == "same to the bit for 3 steps"


@pytest.mark.slow
def test_fit_on_jax_gets_the_data_that_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (
        "import numpy as np\n"
        "from KERAS import Sequential, layers, mixed_precision\n"
        "mixed_precision.set_global_policy('mixed_float16')\n"
        "x = np.random.RandomState(0).rand(96, 4).astype('float32')\n"
        "net = [layers.Dense(8, 'relu'), layers.Dropout(0.5), layers.Dense(4, dtype='float32')]\n"
        "model = Sequential([layers.Input((4,)), *net, layers.Softmax(dtype='float32')])\n"
        "model.compile('sgd', 'sparse_categorical_crossentropy')\n"
        "model.fit(x, x.argmax(1), batch_size=32, epochs=2, verbose=0)\n"
    )
    options = ("--fix-random", "--with-initial-values", "--fix-data", "6")
    before, _ = record(tmp_path, source.replace("KERAS", "tf_keras"), *options)
    (tmp_path / "it.lsr").rename(tmp_path / "before.lsr")
    monkeypatch.setenv("KERAS_BACKEND", "jax")
    options = ("--fix-random", "--start-from", "before.lsr")
    after, _ = record(tmp_path, source.replace("KERAS", "keras"), *options, keras="0")
    digests = [[step.data for step in side.optimizers[0].steps] for side in (before, after)]
    assert digests[0] == digests[1]
    assert len(set(digests[0])) == 6
    assert compare(before, after).verdict is ComparisonVerdict.SAME


@pytest.mark.parametrize(
    "array",
    [np.float16([[1.5, np.nan]]), np.array([[b"a\0"], ["\u00e9".encode()]], object), np.int64(3)],
    ids=["numbers", "text", "scalar"],
)
def test_batches_are_kept_as_they_are(array: Any) -> None:
    kept = json.loads(json.dumps(recorder().packed(np.asarray(array))))
    np.testing.assert_array_equal(recorder().unpacked(np, kept), np.asarray(array), strict=True)


DISTRIBUTED = """
import numpy as np
import tensorflow as tf
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
x = np.random.RandomState(SEED).rand(29, 4).astype("float32")
data = tf.data.Dataset.from_tensor_slices((x, x.sum(1))).batch(8)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, "linear", True, "zeros")])
    optimizer = tf.keras.optimizers.SGD(0.1)
    model.build((None, 4))
    model.compile(optimizer, "mse")
"""
FIT = "model.fit(data, epochs=1, verbose=0)"
OWN_LOOP = """
def replica_step(element):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((model(element[0]) - element[1]) ** 2) / 8
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
@tf.function
def step(element):
    strategy.run(replica_step, args=(element,))
for element in strategy.experimental_distribute_dataset(data):
    step(element)
"""


@pytest.mark.slow
@pytest.mark.parametrize("train", [FIT, OWN_LOOP], ids=["fit", "loop"])
@pytest.mark.parametrize("keras", ["1", "0"], ids=["tf-keras", "keras3"])
def test_each_replica_gets_the_data_that_was_kept(train: str, keras: str, tmp_path: Path) -> None:
    source = DISTRIBUTED + train
    before, _ = record(tmp_path, source.replace("SEED", "1"), "--fix-data", "4", keras=keras)
    assert len({step.data for step in before.optimizers[0].steps} - {None}) == 4
    (tmp_path / "it.lsr").rename(tmp_path / "before.lsr")
    source = source.replace("SEED", "2")
    after, _ = record(tmp_path, source, "--start-from", "before.lsr", keras=keras)
    assert compare(before, after).reason == "same to the bit for 4 steps"


@pytest.mark.slow
@pytest.mark.parametrize("keras", ["1", "0"], ids=["tf-keras", "keras3"])
def test_frozen_layers_begin_with_the_values_of_another_recording(
    keras: str, tmp_path: Path
) -> None:
    source = (
        "import numpy as np, tensorflow as tf\n"
        "tf.keras.mixed_precision.set_global_policy('mixed_bfloat16')\n"
        "layers = tf.keras.layers\n"
        "base = tf.keras.Sequential([layers.Dense(4), layers.Dense(4), layers.Dense(3)])\n"
        "base.trainable = False\n"
        "model = tf.keras.Sequential([base, layers.Dense(4), layers.Dense(3)])\n"
        "model.compile(tf.keras.optimizers.SGD(0.1), 'mse')\n"
        "x = np.random.RandomState(0).rand(12, 4)\n"
        "model.fit(x, x[:, :3], batch_size=4, shuffle=False, verbose=0)\n"
    )
    before, _ = record(tmp_path, source, "--with-initial-values", keras="1")
    (tmp_path / "it.lsr").rename(tmp_path / "before.lsr")
    options = ("--seed", "1", "--start-from", "before.lsr")
    after, _ = record(tmp_path, source, *options, keras=keras)
    comparison = compare(before, after)
    assert comparison.verdict is ComparisonVerdict.SAME, comparison.reason
    assert comparison.bits is (keras == "1")


AGENT = """
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
x, action = tf.placeholder(tf.float32, [1, 3]), tf.placeholder(tf.float32, [1, 2])
initial = tf.random_normal_initializer(stddev=0.5)
policy = tf.get_variable("policy/w", [3, 2], initializer=initial)
target = tf.get_variable("target/w", [3, 2], initializer=initial, trainable=False)
value, next_value = tf.matmul(x, policy), tf.matmul(x, target)
loss = tf.reduce_mean((value - action) ** 2)
train = tf.train.AdamOptimizer(0.1).minimize(loss, var_list=[policy])
state = np.ones([1, 3], "float32")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(3):
        print("now", session.run(value, {x: state}))
        wanted = session.run(next_value, {x: state})
        session.run(train, {x: state, action: wanted})
        state = state * 0.9
"""


@pytest.mark.slow
def test_a_graph_starts_from_its_values_before_the_program_reads_them(tmp_path: Path) -> None:
    before, _ = record(tmp_path, AGENT, "--with-initial-values")
    (tmp_path / "it.lsr").rename(tmp_path / "before.lsr")
    after, _ = record(tmp_path, AGENT, "--seed", "1", "--start-from", "before.lsr")
    assert compare(before, after).verdict is ComparisonVerdict.SAME
    other, _ = record(tmp_path, AGENT, "--seed", "1")
    assert compare(before, other).verdict is ComparisonVerdict.DIFFERENT


AGENT_OF_KERAS = """
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
model.compile(tf.keras.optimizers.legacy.SGD(0.1), "mse")
state = np.ones([1, 3], "float32")
for step in range(2):
    wanted = model.predict(state, verbose=0) * 0.9
    print("now", wanted)
    model.train_on_batch(state, wanted)
"""


@pytest.mark.slow
def test_a_model_is_used_in_a_graph_before_it_is_trained(tmp_path: Path) -> None:
    before, _ = record(tmp_path, AGENT_OF_KERAS, "--with-initial-values")
    (tmp_path / "it.lsr").rename(tmp_path / "before.lsr")
    after, _ = record(tmp_path, AGENT_OF_KERAS, "--seed", "1", "--start-from", "before.lsr")
    assert compare(before, after).reason == "same to the bit for 2 steps"


TWO_IN_ONE_RUN = """
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
one, other = tf.Variable(1.0), tf.Variable(2.0)
loss = (one - other) ** 2
steps = [tf.train.AdamOptimizer(0.1).minimize(loss, var_list=[v]) for v in (one, other)]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run({run})
"""


@pytest.mark.slow
@pytest.mark.parametrize(("run", "threads"), [("steps[0]", 1), ("steps", 3)])
def test_several_optimizers_in_one_run_are_of_several_threads(
    run: str, threads: int, tmp_path: Path
) -> None:
    recording, _ = record(tmp_path, TWO_IN_ONE_RUN.format(run=run))
    assert recording.end is not None
    assert recording.end["threads"] == threads


@pytest.mark.slow
@pytest.mark.parametrize("keras", ["1", "0"], ids=["tf-keras", "keras3"])
def test_what_keras_draws_for_itself_leaves_the_numbers_of_the_program(
    keras: str, tmp_path: Path
) -> None:
    # Both take the seed of an initializer from Python's generator. TensorFlow 2.4 did not.
    source = (
        "import random\n"
        "import tensorflow as tf\n"
        "random.seed(3)\n"
        "tf.keras.layers.Dense(2).build((None, 3))\n"
        "print(random.random())\n"
    )
    fixed, _ = record(tmp_path, source, "--fix-random", keras=keras)
    assert [line.text for line in fixed.printed] == ["0.23796462709189137"]


@pytest.mark.slow
def test_values_to_start_from_are_told_apart_by_whole_names(tmp_path: Path) -> None:
    source = (
        "import tensorflow as tf\n"
        "def made(name):\n"
        "    return tf.Variable(tf.random.normal([4, 2]), name=name + '/dense/kernel')\n"
        "first, second, third = made('first'), made('second'), made('third')\n"
        "opt = tf.keras.optimizers.legacy.SGD(0.1)\n"
        "for step in range(2):\n"
        "    for trained in ([first, second], [third]):\n"
        "        with tf.GradientTape() as tape:\n"
        "            loss = tf.add_n([tf.reduce_sum(w ** 2) for w in trained])\n"
        "        opt.apply_gradients(zip(tape.gradient(loss, trained), trained))\n"
    )
    before, _ = record(tmp_path, source, "--with-initial-values")
    (tmp_path / "it.lsr").rename(tmp_path / "before.lsr")
    after, _ = record(tmp_path, source, "--seed", "1", "--start-from", "before.lsr")
    comparison = compare(before, after)
    assert comparison.verdict is ComparisonVerdict.SAME, comparison.reason
    assert comparison.bits


@pytest.mark.slow
def test_values_to_start_from_do_not_make_a_program_run_that_fails(tmp_path: Path) -> None:
    # Keras 3 makes no variables in a function that a strategy runs on several replicas.
    source = (DISTRIBUTED + OWN_LOOP).replace("SEED", "1")
    before, _ = record(tmp_path, source, "--with-initial-values", keras="0")
    (tmp_path / "it.lsr").rename(tmp_path / "before.lsr")
    source = source.replace("model.build((None, 4))", "pass")
    after, _ = record(tmp_path, source, "--start-from", "before.lsr", keras="0")
    assert len(before.optimizers[0].steps) == 4
    assert after.end is not None
    assert after.end["error"]["class"] == "InvalidArgumentError"


@pytest.mark.slow
@pytest.mark.parametrize("keras", ["1", "0"], ids=["tf-keras", "keras3"])
def test_the_data_of_a_sequence_is_seen(keras: str, tmp_path: Path) -> None:
    source = (
        "import numpy as np, tensorflow as tf\n"
        "class Data(tf.keras.utils.Sequence):\n"
        "    def __init__(self, batches):\n"
        "        super().__init__()\n"
        "        self.batches = batches\n"
        "    def __len__(self):\n"
        "        return len(self.batches)\n"
        "    def __getitem__(self, index):\n"
        "        return self.batches[index], self.batches[index].sum(1)\n"
        "x = np.random.RandomState(0).rand(3, 8, 4).astype('float32')\n"
        "other = np.random.RandomState(1).rand(3, 8, 4).astype('float32')\n"
        "model = tf.keras.Sequential([tf.keras.layers.Dense(1, 'linear', True, 'zeros')])\n"
        "model.compile(tf.keras.optimizers.SGD(0.1), 'mse')\n"
        "model.fit(Data(GIVEN), validation_data=Data(other), epochs=2, shuffle=False, verbose=0)\n"
    )
    before, _ = record(tmp_path, source.replace("GIVEN", "x"), keras=keras)
    digests = [step.data for step in before.optimizers[0].steps]
    assert None not in digests
    assert digests[:3] == digests[3:]
    assert len(set(digests)) == 3
    after, _ = record(tmp_path, source.replace("GIVEN", "other"), keras=keras)
    assert compare(before, after).parted == "data"
    dataset = "tf.data.Dataset.from_tensor_slices((x, x.sum(2)))"
    unseen, _ = record(tmp_path, source.replace("Data(GIVEN)", dataset), keras=keras)
    assert {step.data for step in unseen.optimizers[0].steps} == {None}


def test_data_that_an_iterator_gives_is_not_called_the_same(tmp_path: Path) -> None:
    source = (
        "import tensorflow as tf\n"
        "w = tf.Variable([1.0, 2.0])\n"
        "opt = tf.keras.optimizers.legacy.SGD(0.1)\n"
        "@tf.function\n"
        "def train(iterator, count):\n"
        "    for _ in tf.range(count):\n"
        "        opt.apply_gradients([(w * next(iterator), w)])\n"
        "data = iter(tf.data.Dataset.from_tensors(SCALE).repeat())\n"
        "for _ in range(3):\n"
        "    train(data, tf.constant(2))\n"
    )
    before, _ = record(tmp_path, source.replace("SCALE", "1.0"))
    after, _ = record(tmp_path, source.replace("SCALE", "2.0"))
    result = compare(before, after)
    assert result.parted == "step"
    assert DATA_NOT_SEEN in result.notes


DROPPING = """
import functools
import tensorflow as tf
layers = [tf.keras.layers.Dropout(0.5), tf.keras.layers.SpatialDropout1D(0.5)]
layers.append(tf.keras.layers.GaussianNoise(0.5))
zoom = tf.keras.layers.RandomZoom((0.5, 0.5), fill_mode="constant")
print(float(tf.reduce_sum(zoom(tf.ones([2, 4, 5, 1]), training=True))))
layers.append(tf.keras.layers.GRU(3, "relu", "relu", True, "ones", "ones", dropout=0.5))
model = tf.keras.Sequential(layers)
ones = tf.ones([2, 4, 5])
print(float(tf.reduce_sum(tf.nn.dropout(ones, 0.5))))
given = functools.reduce(lambda x, layer: layer(x, training=True), layers[:3], ones)
print(float(tf.reduce_sum(given)))
model(ones)
model.compile("sgd", "mse")
model.fit(ones, tf.ones([2, 3]), epochs=2, shuffle=False, verbose=0)
"""


@pytest.mark.parametrize("keras", ["0", "1"])
def test_random_layers_can_be_left_out(keras: str, tmp_path: Path) -> None:
    recording, _ = record(tmp_path, DROPPING, "--fix-random", keras=keras)
    assert [line.text for line in recording.printed] == ["40.0", "40.0", "40.0"]
    model = recording.optimizers[0]
    assert [step.draws for step in model.steps] == [(0, ""), (0, "")]
    other, _ = record(tmp_path, DROPPING.replace("0.5", "0.0"), keras=keras)
    result = compare(recording, other)
    assert result.verdict is ComparisonVerdict.SAME, result
    assert FIXED_RANDOM in result.notes


DRAWING = """
import numpy as np
import tensorflow as tf

def some():
    return tf.random.normal([3])

@tf.function
def drawn():
    return some() + 0.0

for _ in range(MADE):
    tf.keras.initializers.GlorotUniform()((2, 2))
for _ in range(2):
    print(some().numpy(), drawn().numpy())
data = tf.data.Dataset.range(8).map(lambda x: tf.cast(x, "float32") + tf.random.uniform([]))
print(list(data.shuffle(8).as_numpy_iterator()))
print(type(data.map(lambda x: x, num_parallel_calls=4, deterministic=False)).__name__)
"""


@pytest.mark.parametrize("keras", ["0", "1"])
def test_what_the_program_draws_is_seeded_by_its_place(keras: str, tmp_path: Path) -> None:
    one, other = (
        [line.text for line in record(tmp_path, source, "--fix-random", keras=keras)[0].printed]
        for source in (DRAWING.replace("MADE", "1"), DRAWING.replace("MADE", "4"))
    )
    assert one == other
    assert one[0] != one[1]
    assert "Parallel" not in one[-1]
    assert len(set(one[0].replace("[", "").replace("]", "").split())) == 6


RESUMING = """
import tensorflow as tf
w = tf.Variable([1.0, 2.0])
opt = tf.keras.optimizers.legacy.Adam(0.1)
checkpoint = tf.train.Checkpoint(w=w, opt=opt)
manager = tf.train.CheckpointManager(checkpoint, FOLDER, 2)
checkpoint.restore(manager.latest_checkpoint)
for i in range(3):
    opt.apply_gradients([(w * 1.0, w)])
manager.save()
"""


@pytest.mark.parametrize("goes_on", [False, True], ids=["relative", "absolute"])
def test_the_second_run_starts_in_a_copy_of_the_folder(goes_on: bool, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    folder = str(tmp_path / "state") if goes_on else "state"
    source = RESUMING.replace("FOLDER", repr(folder))
    recording, _ = record(tmp_path / "project", source, "--twice")
    assert bool(recording.unstable) is goes_on
    reason = compare(recording, recording).reason
    assert ("delete the checkpoints that it would go on from" in reason) is goes_on


def test_optimizers_without_a_step_and_what_is_in_force_are_recorded(tmp_path: Path) -> None:
    source = (
        "import tensorflow as tf\n"
        "keras = tf.keras\n"
        "opt = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.legacy.SGD(), GIVEN)\n"
        "tf.config.optimizer.set_experimental_options({'auto_mixed_precision': True})\n"
    )
    before, _ = record(tmp_path, source.replace("GIVEN", "True, 8.0, 5"))
    (unused,) = before.unused
    assert (unused.title, unused.at) == ("LossScaleOptimizer(SGD)", "train.py:3")
    assert unused.settings == "dynamic 8 5"
    assert before.end is not None
    assert (before.end["policy"], before.end["graph_rewrite"]) == ("float32", True)
    after, _ = record(tmp_path, source.replace("GIVEN", "False, 8.0"))
    first = compare(before, after).first
    assert first is not None
    assert (first.what, first.before, first.after) == ("loss scale", "dynamic 8 5", "fixed 8")


def test_a_step_that_changes_nothing_is_skipped_only_by_what_skips(tmp_path: Path) -> None:
    source = (
        "import tensorflow as tf\n"
        "keras = tf.keras\n"
        "plain = [keras.optimizers.legacy.SGD() for _ in range(3)]\n"
        "wrap = keras.mixed_precision.LossScaleOptimizer\n"
        "for opt in (plain[0], wrap(plain[1], False, 8.0), wrap(plain[2])):\n"
        "    w = tf.Variable([float('nan')])\n"
        "    opt.apply_gradients([(w * 1.0, w)])\n"
    )
    recording, _ = record(tmp_path, source)
    assert [one.steps[0].applied for one in recording.optimizers] == [True, True, False]


def test_a_printed_line_has_the_lines_that_called(tmp_path: Path) -> None:
    recording, _ = record(tmp_path, "def show(x):\n    print(x)\n\n\nshow(1)\n")
    (line,) = recording.printed
    assert (line.stack, line.text) == (("train.py:2", "train.py:5"), "1")


def test_optimizers_that_the_program_gives_up_are_given_up(tmp_path: Path) -> None:
    source = (
        "import gc, weakref\nimport tensorflow as tf\n"
        "def train():\n"
        "    w = tf.Variable([1.0, 2.0])\n"
        "    inner = tf.keras.optimizers.legacy.Adam(0.1)\n"
        "    opt = tf.keras.mixed_precision.LossScaleOptimizer(inner)\n"
        "    opt.apply_gradients([(w * 1.0, w)])\n"
        "    return weakref.ref(opt), weakref.ref(inner), weakref.ref(w)\n"
        "for i in range(3):\n    seen = train()\n    gc.collect()\n"
        "    print([one() for one in seen])\n"
    )
    recording, done = record(tmp_path, source)
    assert done.stdout == "[None, None, None]\n" * 3
    assert [len(one.steps) for one in recording.optimizers] == [1, 1, 1]


TWO_MODELS = """
import sys
import tensorflow as tf
value = tf.random.normal([3])
variables = [tf.Variable(value, name="one"), tf.Variable(value + 1, name="other")]
opt = tf.keras.optimizers.legacy.SGD(0.1)

def train(which, factor):
    w = variables[which]
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * w) * factor
    opt.apply_gradients([(tape.gradient(loss, w), w)])

train = tf.function(train) if sys.argv[1] == "function" else train
for i in range(3):
    train(0, 1.0)
    train(1, float(sys.argv[2]))
"""


@pytest.mark.parametrize("how", ["eager", "function"])
def test_variables_that_an_optimizer_gets_later_are_recorded(how: str, tmp_path: Path) -> None:
    before, _ = record(tmp_path, TWO_MODELS, "--with-initial-values", arguments=(how, "1"))
    (optimizer,) = before.optimizers
    assert optimizer.names == ["one", "other"]
    assert None not in optimizer.first
    again, _ = record(tmp_path, TWO_MODELS, arguments=(how, "1"))
    assert compare(before, again).reason == "same to the bit for 6 steps"
    (tmp_path / "it.lsr").rename(tmp_path / "again.lsr")
    other, _ = record(tmp_path, TWO_MODELS, arguments=(how, "1.001"))
    first = compare(before, other).first
    assert first is not None
    assert (first.what, first.name, first.step) == ("variable", "other", 2)


THREADS = """
import threading
import tensorflow as tf
first = threading.Barrier(2)

def work(number):
    w = tf.Variable([1.0 + number])
    opt = tf.keras.optimizers.legacy.SGD(0.1)
    @tf.function
    def train():
        first.wait()
        opt.apply_gradients([(w * w, w)])
        first.wait()
    for i in range(4):
        train()

threads = [threading.Thread(target=work, args=[number]) for number in range(2)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


def test_each_step_of_functions_in_threads_is_recorded(tmp_path: Path) -> None:
    recording, done = record(tmp_path, THREADS)
    assert done.returncode == 0
    assert [len(one.steps) for one in recording.optimizers] == [4, 4]
    assert recording.end is not None
    assert recording.end["threads"] == 2
    assert recording.end["problems"] == {}


IN_A_BRANCH = """
import sys
import tensorflow as tf
v1 = tf.compat.v1
v1.disable_eager_execution()
one, other = (v1.get_variable(name, [2], initializer=v1.ones_initializer()) for name in "ab")
opts = [v1.train.GradientDescentOptimizer(float(sys.argv[1])) for _ in range(2)]
count = v1.get_variable("count", [], tf.int32, initializer=v1.zeros_initializer())
with tf.control_dependencies([count.assign_add(1)]):
    odd = tf.equal(count % 2, 1)
train = tf.cond(odd, lambda: tf.group(opts[0].apply_gradients([(one * 1.0, one)])), tf.no_op)
step = opts[1].apply_gradients([(other * 1.0, other)])
with v1.Session() as session:
    session.run(v1.global_variables_initializer())
    for _ in range(4):
        session.run(train)
        session.run(step)
"""


def test_a_step_in_a_branch_of_a_graph_is_recorded(tmp_path: Path) -> None:
    recording, _ = record(tmp_path, IN_A_BRANCH, arguments=("0.5",))
    one, other = recording.optimizers
    assert (one.names, other.names) == (["a"], ["b"])
    assert [len(optimizer.steps) for optimizer in (one, other)] == [4, 4]
    assert len({step.arrays["variables"][0] for step in one.steps}) == 2


CONCRETE = """
import tensorflow as tf
w = tf.Variable([1.0, 2.0])
opt = tf.keras.optimizers.legacy.SGD(0.1)
opt.iterations

@tf.function
def apply():
    opt.apply_gradients([(w * 1.0, w)])

@tf.function
def train():
    apply()

train = train.get_concrete_function()
for _ in range(3):
    train()
"""


def test_steps_of_concrete_functions_are_recorded(tmp_path: Path) -> None:
    recording, _ = record(tmp_path, CONCRETE)
    (one,) = recording.optimizers
    assert [step.steps for step in one.steps] == [1, 2, 3]


def test_steps_that_cannot_be_seen_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERAS_BACKEND", "jax")
    source = (
        "import keras, numpy as np\n"
        "variable, optimizer = keras.Variable([1.0]), keras.optimizers.SGD(0.1)\n"
        "optimizer.build([variable])\n"
        "state = [one.value for one in optimizer.variables]\n"
        "optimizer.stateless_apply(state, [np.ones(1)], [variable.value])\n"
    )
    recording, _ = record(tmp_path, source, keras="0")
    assert recording.end is not None
    assert recording.end["hidden"] == ["SGD"]


def test_a_missing_program_and_wrong_options_are_errors(tmp_path: Path) -> None:
    done = python(str(RECORDER), "-o", "it.lsr", "none.py", cwd=tmp_path)
    assert done.returncode == 2
    assert "can't open file 'none.py'" in done.stderr
    done = python(str(RECORDER), "-o", "it.lsr", cwd=tmp_path)
    assert done.returncode == 2
    assert "name the program" in done.stderr
    done = python(str(RECORDER), "-o", "it.lsr", "--nudge", "none.py", cwd=tmp_path)
    assert done.returncode == 2
    assert "--start-from" in done.stderr
    done = python(str(RECORDER), "-o", "i.lsr", "--start-from", "none.lsr", "it.py", cwd=tmp_path)
    assert "none.lsr cannot be read" in done.stderr
    assert not (tmp_path / "i.lsr").exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"no", gzip.compress(b""), gzip.compress(b"[1]\n{}\n")],
    ids=["empty", "no gzip", "nothing", "a list"],
)
def test_what_is_no_recording_begins_no_other_one(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.lsr"
    path.write_bytes(content)
    with pytest.raises(recorder().RecordingError, match=r"a\.lsr cannot be read: \w+"):
        recorder().kept_in(str(path))


def test_a_recording_of_a_program_that_was_killed_begins_another_one(tmp_path: Path) -> None:
    recording, _ = record(tmp_path, LOOP, "--with-initial-values")
    path = tmp_path / "it.lsr"
    path.write_bytes(path.read_bytes()[:-200])
    assert read(str(path)).end is None
    optimizers, _, _ = recorder().kept_in(str(path))
    assert optimizers[0]["names"] == recording.optimizers[0].names


def test_a_large_recording_is_cut_and_says_so(tmp_path: Path) -> None:
    writer = recorder().Writer(str(tmp_path / "a.lsr"), 300_000)
    writer.put("lossscale-recording", version=1)
    for number in range(2000):
        line = np.random.RandomState(number).bytes(500).hex()
        writer.put("print", at="", line=line, n=0)
    end: dict[str, Any] = {"exit": 0, "error": None, "versions": {}, "cut": writer.cut}
    writer.put("end", **end)
    writer.close()
    recording = read(str(tmp_path / "a.lsr"))
    assert recording.end is not None
    assert recording.end["cut"]
    assert (tmp_path / "a.lsr").stat().st_size < 600_000


@pytest.mark.parametrize("size", [0, 1, 5, 70_000])
def test_numbers_say_what_an_array_has(size: int) -> None:
    array = np.random.RandomState(size).randn(size).astype(np.float32)
    digest, norm, largest, odd, *products = recorder().Numbers(np).of(array)
    assert len(digest) == 16
    assert norm == pytest.approx(np.linalg.norm(array), rel=1e-6)
    assert largest == pytest.approx(np.abs(array).max(initial=0), rel=1e-6)
    assert (odd, len(products)) == (0, 4)


def test_data_in_float64_is_the_same_as_in_float32() -> None:
    values = np.arange(9) / 8
    numbers = recorder().Numbers(np)
    assert numbers.digest(values) == numbers.digest(values.astype(np.float32))
    assert numbers.digest(values) != numbers.digest(values + 1)


def test_what_is_not_finite_is_counted() -> None:
    array = np.array([1.0, np.nan, -np.inf, 3.0], np.float16)
    _, norm, largest, odd, *_ = recorder().Numbers(np).of(array)
    assert (norm, largest, odd) == (pytest.approx(10.0**0.5), 3.0, 2)


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_run_does_what_old_tensorflows_did(path: Path, tmp_path: Path) -> None:
    program = HERE / "programs" / f"{path.stem.partition('-')[0]}.py"
    switches = ["--tf1"] if path.stem.endswith(("1.14", "1.15")) else []
    arguments = ["--record", "after.lsr", "--start-from", str(path), str(program)]
    done = python("-m", "compat_lossscale", "run", *switches, *arguments, cwd=tmp_path,
                  tensorflow_may_be_imported=True)  # fmt: skip
    result = compare(read(str(path)), read(str(tmp_path / "after.lsr")))
    assert result.verdict is ComparisonVerdict.SAME, (result.first, done.stderr[-500:])
    assert result.steps >= 6


def test_functions_that_run_eagerly_have_steps(tmp_path: Path) -> None:
    source = (
        "import tensorflow as tf\n"
        "tf.config.run_functions_eagerly(True)\n"
        "w = tf.Variable([1.0, 2.0])\n"
        "opt = tf.keras.optimizers.legacy.SGD(0.1)\n"
        "@tf.function\ndef train(x):\n    opt.apply_gradients(grads_and_vars=[(w * x, w)])\n"
        "for i in range(3):\n    train(tf.constant(1.0))\n"
    )
    recording, _ = record(tmp_path, source)
    (one,) = recording.optimizers
    assert [s.steps for s in one.steps] == [1, 2, 3]
    assert None not in {s.data for s in one.steps}


TENSORFLOW_1 = """
class Function:
    def __call__(self):
        pass


class v1:
    class Session:
        def run(self):
            pass

    @staticmethod
    def get_default_graph():
        print("a default graph")


class compat:
    v1 = v1


def function(original):
    return Function()


def executing_eagerly():
    return False
"""


def test_tensorflow_1_is_left_without_a_default_graph(tmp_path: Path) -> None:
    # `enable_eager_execution` raises where there is one.
    (tmp_path / "tensorflow.py").write_text(TENSORFLOW_1)
    (tmp_path / "train.py").write_text("import tensorflow\nprint(tensorflow.Function.__name__)\n")
    done = python(str(RECORDER), "-o", "it.lsr", "train.py", cwd=tmp_path)
    assert done.stdout == "Function\n"
    end = read(str(tmp_path / "it.lsr")).end
    assert end is not None
    assert end["problems"] == {}

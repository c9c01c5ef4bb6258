# SPDX-License-Identifier: Apache-2.0
"""Tests of `compat-lossscale run` with TensorFlow.

A few start a process that imports TensorFlow itself, which takes long: those with `FRESH`.

What has nothing to do with TensorFlow is in test_run_as_python.py.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.support import python

FRESH: dict[str, Any] = {"tensorflow_may_be_imported": False}


def run(*args: str, **kwargs: Any) -> subprocess.CompletedProcess[str]:
    options = {"tensorflow_may_be_imported": True, **kwargs}
    return python("-m", "compat_lossscale", "run", *args, **options)


def observed(done: subprocess.CompletedProcess[str]) -> Any:
    """What the program printed as JSON in its last line."""
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


PROGRAM = """\
import json, os, sys

imported = [name for name in ("tensorflow", "numpy") if name in sys.modules]
said = "TF_USE_LEGACY_KERAS" in os.environ
os.environ["TF_CPP_MAX_VLOG_LEVEL"] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "0"
os.environ["TF_USE_LEGACY_KERAS"] = "0"
import helper
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mp

v = tf.Variable(1.0)
opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), "dynamic")
opt.minimize(lambda: v * 1.0, [v])

class Here:
    pass

print(json.dumps({
    "argv": sys.argv,
    "name": __name__,
    "main": sys.modules["__main__"].__dict__ is globals(),
    "file": __file__,
    "helper": helper.VALUE,
    "first on the path": sys.path[0],
    "class module": Here.__module__,
    "legacy": tf.keras.optimizers.SGD.__module__.split(".")[-2] == "legacy"
        or "legacy" in tf.keras.optimizers.SGD.__module__,
    "v": float(v),
    "doc": __doc__,
    "imported": imported,
    "legacy Keras is said": said,
}))
"""


def write_program(folder: Path) -> Path:
    directory = folder / "programs"
    directory.mkdir()
    (directory / "helper.py").write_text("VALUE = 'helped'\n")
    path = directory / "train.py"
    path.write_text(PROGRAM)
    return path


ARGUMENTS = ["--legacy-optimizers", "-m", "--", "--help", "data dir", "-x=1"]


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, str]:
    """A script, what it printed as a program of its own, and its standard error."""
    path = write_program(tmp_path_factory.mktemp("script"))
    done = run("programs/train.py", *ARGUMENTS, cwd=path.parents[1], **FRESH)
    return path, observed(done), done.stderr


@pytest.mark.slow
def test_a_script_sees_what_python_would_show_it(script: tuple[Path, Any, str]) -> None:
    path, seen, _ = script
    expected = {
        "argv": ["programs/train.py", *ARGUMENTS],
        "name": "__main__",
        "main": True,
        # Python has made it absolute since 3.9.
        "file": str(path),
        "helper": "helped",
        "first on the path": str(path.parent.resolve()),
        "class module": "__main__",
        "legacy": True,
        "v": 0.5,
        "doc": None,
    }
    assert {name: seen[name] for name in expected} == expected


@pytest.mark.slow
def test_what_a_program_says_to_tensorflow_in_its_environment_counts(
    script: tuple[Path, Any, str],
) -> None:
    _, seen, errors = script
    assert (seen["imported"], seen["legacy Keras is said"]) == ([], False)
    assert "execute.cc" in errors  # verbose logs, which only its own import turns on


def test_a_module_is_run_as_python_m_would(tmp_path: Path) -> None:
    program = write_program(tmp_path)
    package = program.parent / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(PROGRAM.replace("import helper", "from . import helper"))
    (package / "helper.py").write_text("VALUE = 'relative'\n")
    seen = observed(run("--new-optimizers", "-m", "package", "--flag", cwd=program.parent))
    assert seen["argv"][1:] == ["--flag"]
    assert Path(seen["argv"][0]).name == "__main__.py"
    assert seen["name"] == "__main__"
    assert seen["helper"] == "relative"
    assert seen["legacy"] is False
    assert seen["first on the path"] == str(program.parent.resolve())


def test_a_directory_and_a_zip_file_are_run_by_their_main(tmp_path: Path) -> None:
    code = "import json, sys, helper; print(json.dumps([sys.argv, __name__, helper.VALUE]))"
    directory = tmp_path / "app"
    directory.mkdir()
    (directory / "__main__.py").write_text(code)
    (directory / "helper.py").write_text("VALUE = 5")
    archive = tmp_path / "app.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.write(directory / "__main__.py", "__main__.py")
        file.write(directory / "helper.py", "helper.py")
    assert observed(run("app", "a", cwd=tmp_path, **FRESH)) == [["app", "a"], "__main__", 5]
    assert observed(run("app.zip", "a", cwd=tmp_path, **FRESH)) == [["app.zip", "a"], "__main__", 5]


def test_the_exit_code_and_traceback_come_through_the_command(tmp_path: Path) -> None:
    path = tmp_path / "failing.py"
    path.write_text("import tensorflow as tf\ndef train():\n    tf.no_such_name\ntrain()\n")
    done = run(str(path))
    assert done.returncode == 1
    start = done.stderr.index("Traceback")
    assert "compat_lossscale" not in done.stderr[start:]
    assert "runpy" not in done.stderr[start:]
    assert f'File "{path}", line 4, in <module>' in done.stderr
    assert done.stderr.rstrip().splitlines()[-1].startswith("AttributeError: ")
    path.write_text("import sys\nsys.exit(7)\n")
    assert run(str(path)).returncode == 7


@pytest.mark.slow
def test_what_a_program_starts_has_the_old_names_too(tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text(
        "import os, sys\n"
        "def work(number):\n"
        "    assert '_site' not in [os.path.basename(place) for place in sys.path]\n"
        "    import tensorflow as tf\n"
        "    return tf.keras.mixed_precision.experimental.LossScaleOptimizer.__name__\n"
        "if __name__ == '__main__':\n"
        "    print(work(0))\n"
    )
    path = tmp_path / "train.py"
    path.write_text(
        "import json, multiprocessing, os, subprocess, sys, work\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        found = pool.map(work.work, [1, 2])\n"
        "    command = [sys.executable, 'work.py']\n"
        "    environment = {**os.environ, 'CUDA_VISIBLE_DEVICES': ''}\n"
        "    nested = 'import subprocess, sys; subprocess.run(sys.argv[1:], check=True)'\n"
        "    found.append(subprocess.check_output(command, text=True).strip())\n"
        "    command = [sys.executable, '-c', nested, *command]\n"
        "    found.append(subprocess.check_output(command, env=environment, text=True).strip())\n"
        "    print(json.dumps(found))\n"
    )
    assert observed(run(str(path), cwd=tmp_path, **FRESH)) == ["LossScaleOptimizer"] * 4


def test_an_interpreter_of_another_environment_is_left_alone(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "other"], check=True)
    look = (
        "import sys; print(json.dumps(['compat_lossscale' in sys.modules, "
        "[place for place in sys.path if '_site' in place]]))"
    )
    path = tmp_path / "train.py"
    path.write_text(
        "import subprocess, sys\n"
        f"for python in (sys.executable, {str(tmp_path / 'other' / 'bin' / 'python')!r}):\n"
        f"    subprocess.run([python, '-c', {'import json; ' + look!r}], check=True)\n"
    )
    done = run(str(path), **FRESH)
    assert done.stdout.splitlines() == ["[true, []]", "[false, []]"], done.stderr


def test_a_syntax_error_is_shown_as_python_shows_it(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("x = = 1\n")
    expected = python(str(path))
    done = run(str(path), **FRESH)
    assert done.returncode == expected.returncode == 1
    assert done.stderr == expected.stderr


def test_usage_errors_and_help_need_no_tensorflow() -> None:
    assert run(**FRESH).returncode == 64
    done = run("--help", **FRESH)
    assert done.returncode == 0
    for option in ("--legacy-optimizers", "--new-optimizers", "--tf1", "--only-loss-scale", "-m"):
        assert option in done.stdout


TF1_PROGRAM = """\
import json
import tensorflow as tf
from tensorflow.train import experimental
import tensorflow.keras.backend as K

assert tf.VERSION if hasattr(tf, "VERSION") else tf.__version__
x = tf.placeholder(tf.float32, [])
v = tf.get_variable("v", initializer=5.0)
step = tf.train.get_or_create_global_step()
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.train.GradientDescentOptimizer(1.0), "dynamic")
train = opt.minimize(v * x, global_step=step)
scale = opt._loss_scale()
with tf.train.MonitoredTrainingSession() as session:
    for value in (2.0, float("nan")):
        session.run(train, {x: value})
    print(json.dumps([float(session.run(v)), int(session.run(step)),
                      float(session.run(scale)), tf.executing_eagerly()]))
"""


@pytest.mark.slow
def test_programs_that_look_for_old_modules_find_them(tmp_path: Path) -> None:
    names = [
        "tensorflow.keras.mixed_precision.experimental",  # before TensorFlow is imported
        "tensorflow.mixed_precision.experimental",
        "tensorflow.compat.v1.train.experimental",
        "tensorflow.keras.mixed_precision.experimental",
    ]
    (tmp_path / "program.py").write_text(
        "import importlib.util, json\n"
        f"found = [name for name in {names} if importlib.util.find_spec(name)]\n"
        "print(json.dumps(found))\n"
    )
    assert observed(run("program.py", cwd=tmp_path, **FRESH)) == names


def test_a_program_of_tensorflow_1_trains_with_tf1(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(TF1_PROGRAM)
    assert observed(run("--tf1", str(path))) == [3.0, 1, 2.0**14, False]


MODULE_PROGRAM = """\
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mp

class Encoder(tf.Module):
    def __init__(self):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(8, "relu")
        self.out = tf.keras.layers.Dense(1)
    def __call__(self, x):
        return self.out(self.hidden(x))

class Trainer(tf.Module):
    def __init__(self, modules):
        super().__init__()
        self.modules = modules
        self.optimizer = mp.LossScaleOptimizer(tf.keras.optimizers.Adam(0.05), "dynamic")
    def __call__(self, tape, loss):
        variables = tf.nest.flatten([module.variables for module in self.modules])
        with tape:
            loss = self.optimizer.get_scaled_loss(loss)
        gradients = self.optimizer.get_unscaled_gradients(tape.gradient(loss, variables))
        gradients, _ = tf.clip_by_global_norm(gradients, 100.0)
        self.optimizer.apply_gradients(zip(gradients, variables))

x = tf.random.stateless_normal([32, 3], [1, 2])
y = tf.reduce_sum(x, 1, keepdims=True)
encoder = Encoder()
encoder(x)
trainer = Trainer([encoder])

@tf.function
def step():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(encoder(x) - y))
    trainer(tape, loss)
    return loss

losses = [float(step()) for _ in range(50)]
print(losses[-1] < losses[0] / 2)
"""
"""It collects the variables of modules with layers, as programs of reinforcement learning do."""


def test_a_program_that_would_train_nothing_on_keras_3_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(MODULE_PROGRAM)
    assert run("train.py", cwd=tmp_path).stdout == "True\n"
    done = run("--keras3", "train.py", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    said = done.stderr
    assert "ValueError: apply_gradients() got no gradients and no variables" in said
    assert "a tf.Module, whose `variables` and `trainable_variables` leave out the layers" in said


def test_checkpoints_metrics_weights_and_own_compiles_work_on_keras_3(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        """\
import json
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mp

class Scale(tf.keras.layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight("scale", shape=shape[-1:], initializer="ones")
    def call(self, x):
        return x * self.scale

class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.layer = Scale()
    def compile(self, optimizer):
        super().compile()
        self.own = self._get_optimizer(optimizer)
    def call(self, x):
        return self.layer(x)

net, seen = Net(), tf.keras.metrics.Mean()
net.compile(mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5, momentum=0.5), 8))
def step():
    with tf.GradientTape() as tape:
        loss = net.own.get_scaled_loss(tf.reduce_sum(net(tf.ones([1, 2]))))
    gradients = net.own.get_unscaled_gradients(tape.gradient(loss, net.trainable_variables))
    net.own.apply_gradients(zip(gradients, net.trainable_variables))
    seen.update_state(loss)
step()
manager = tf.train.CheckpointManager(
    tf.train.Checkpoint(net=net, optimizer=net.own), "checkpoints", max_to_keep=2
)
manager.save()
step()
first = net.layer.scale.numpy().tolist()
manager.checkpoint.restore(manager.latest_checkpoint)
seen.reset_states()
step()
print(json.dumps([first, net.layer.scale.numpy().tolist(), float(seen.result())]))
"""
    )
    done = run("--keras3", "train.py", cwd=tmp_path)
    assert observed(done) == [[-0.25, -0.25], [-0.25, -0.25], 8.0]


@pytest.mark.slow
def test_a_program_trains_on_keras_3(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        """\
import json
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mp

v = tf.Variable(1.0)
opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(lr=0.5), 128)
opt.minimize(lambda: v * 1.0, [v])
import keras, sys
print(json.dumps([float(v), opt.loss_scale().numpy().item(), tf.keras.Model is keras.Model,
                  "tf_keras" in sys.modules]))
"""
    )
    environment = {"TF_USE_LEGACY_KERAS": "1"}  # The option counts.
    done = run("--keras3", "train.py", cwd=tmp_path, environment=environment, **FRESH)
    assert observed(done) == [0.5, 128.0, True, False]
    subclass = "import tensorflow as tf\nclass Own(tf.keras.optimizers.SGD):\n"
    subclass += "    def _resource_apply_dense(self, gradient, variable): pass\nOwn(0.1)\n"
    done = run("--keras3", "-", given=subclass, cwd=tmp_path)
    assert done.returncode == 1
    assert (
        "In Keras 3, use update_step(gradient, variable, learning_rate) in the place of "
        in (done.stderr.splitlines()[-1])
    )

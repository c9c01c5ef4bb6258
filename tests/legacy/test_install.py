# SPDX-License-Identifier: Apache-2.0
"""Tests of `install()`, each in a process of its own.

Where it does not matter whether TensorFlow was imported before, `IMPORTED` makes them start faster.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.messages import says
from tests.support import python, run_code

IMPORTED: dict[str, Any] = {
    "environment": {"TF_USE_LEGACY_KERAS": "1"},
    "tensorflow_may_be_imported": True,
}
IMPORT_FORMS = """
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as a
import tensorflow.keras.mixed_precision.experimental as b
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer, Policy
from tensorflow.keras.mixed_precision.experimental import (
    global_policy, set_policy, get_layer_policy)
from tensorflow import keras
from tensorflow.keras import mixed_precision as mp
import tensorflow.keras.mixed_precision as mp2
import tensorflow.keras as tk
import tensorflow.keras.mixed_precision.experimental
from tensorflow.compat.v1.keras.mixed_precision import experimental as c
import tensorflow.compat.v1.keras.mixed_precision.experimental as c2
from tensorflow.compat.v2.keras.mixed_precision import experimental as d
from tensorflow.train.experimental import DynamicLossScale, FixedLossScale, LossScale
from tensorflow.mixed_precision.experimental import DynamicLossScale as DLS2
import tensorflow.mixed_precision.experimental as tmpe
import tensorflow.train.experimental as tte
from tensorflow import mixed_precision as tmp_
import tensorflow.compat.v1 as tf1
import tensorflow.compat.v2 as tf2
from tensorflow.compat.v1.mixed_precision import MixedPrecisionLossScaleOptimizer
from tensorflow.compat.v1.mixed_precision.experimental import DynamicLossScale as DLS3
from tensorflow.compat.v1.train.experimental import enable_mixed_precision_graph_rewrite
from tensorflow.keras.mixed_precision import LossScaleOptimizer as NewLSO
from tensorflow.keras.optimizers import SGD, Adam

import compat_lossscale
from compat_lossscale import experimental, v1

same = lambda *values: all(value is values[0] for value in values)
E = tf.keras.mixed_precision.experimental
for module in (E, a, b, c2, c, d, keras.mixed_precision.experimental, mp.experimental,
               mp2.experimental, tk.mixed_precision.experimental,
               tf1.keras.mixed_precision.experimental, tf2.keras.mixed_precision.experimental):
    for name in ("LossScaleOptimizer", "Policy", "global_policy", "set_policy", "get_layer_policy"):
        assert same(getattr(module, name), getattr(E, name)), (module, name)
assert same(E.LossScaleOptimizer, LossScaleOptimizer)
assert E.LossScaleOptimizer == experimental.LossScaleOptimizer
assert same(E.Policy, Policy, experimental.Policy)
assert same(global_policy, experimental.global_policy)
assert same(set_policy, experimental.set_policy)
assert same(get_layer_policy, experimental.get_layer_policy)
for root in (tf, tf1, tf2):
    for place in (root.train.experimental, root.mixed_precision.experimental):
        for name in ("LossScale", "FixedLossScale", "DynamicLossScale"):
            assert same(getattr(place, name), getattr(compat_lossscale, name)), (root, place, name)
    for name in ("enable_mixed_precision_graph_rewrite", "disable_mixed_precision_graph_rewrite"):
        assert same(getattr(root.train.experimental, name), getattr(v1, name)), (root, name)
assert same(DynamicLossScale, DLS2, DLS3, tmpe.DynamicLossScale, tte.DynamicLossScale,
            tmp_.experimental.DynamicLossScale, compat_lossscale.DynamicLossScale)
assert same(FixedLossScale, compat_lossscale.FixedLossScale)
assert same(LossScale, compat_lossscale.LossScale)
assert same(MixedPrecisionLossScaleOptimizer, v1.MixedPrecisionLossScaleOptimizer,
            tf1.train.experimental.MixedPrecisionLossScaleOptimizer,
            tf1.mixed_precision.MixedPrecisionLossScaleOptimizer)
assert not hasattr(tf.train.experimental, "MixedPrecisionLossScaleOptimizer")
for name in ("LossScale", "FixedLossScale", "DynamicLossScale",
             "enable_mixed_precision_graph_rewrite", "disable_mixed_precision_graph_rewrite"):
    assert same(getattr(tf1.mixed_precision, name), getattr(v1, name)), name
assert same(enable_mixed_precision_graph_rewrite, v1.enable_mixed_precision_graph_rewrite)
assert NewLSO == compat_lossscale.LossScaleOptimizer
assert same(NewLSO, tf.keras.mixed_precision.LossScaleOptimizer, mp.LossScaleOptimizer)
assert same(SGD, tf.keras.optimizers.SGD, tf.keras.optimizers.legacy.SGD, tk.optimizers.SGD)
assert same(Adam, keras.optimizers.Adam, keras.optimizers.legacy.Adam)

# Private modules that real programs import.
from tensorflow.python.keras.mixed_precision.experimental import loss_scale_optimizer as lso
from tensorflow.python.keras.mixed_precision.experimental import policy
from tensorflow.python.keras.mixed_precision.experimental.policy import policy_scope
from tensorflow.python.keras.mixed_precision import loss_scale_optimizer as lso24
from tensorflow.python.training.experimental import loss_scale as loss_scale_module
from tensorflow.python.training.experimental import loss_scale_optimizer as v1_module
from tensorflow.python.training.experimental import mixed_precision as rewrite_module
assert same(lso.LossScaleOptimizer, E.LossScaleOptimizer, lso24.LossScaleOptimizerV1)
assert same(lso24.LossScaleOptimizer, NewLSO)
assert same(policy.Policy, Policy)
assert callable(policy_scope)
assert same(loss_scale_module.DynamicLossScale, DynamicLossScale)
assert same(v1_module.MixedPrecisionLossScaleOptimizer, MixedPrecisionLossScaleOptimizer)
assert same(rewrite_module.enable_mixed_precision_graph_rewrite_v1,
            v1.enable_mixed_precision_graph_rewrite)

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(), "dynamic")
assert type(opt) is LossScaleOptimizer
assert isinstance(opt, NewLSO)
assert isinstance(opt, tf.keras.optimizers.Optimizer)
new = NewLSO(tf.keras.optimizers.SGD())
assert type(new) is NewLSO
assert isinstance(new, tf.keras.mixed_precision.LossScaleOptimizer)
print("fine")
"""

# Everything in TensorFlow, Keras, the modules and the environment that install() could touch.
SNAPSHOT = """
import os, sys, types

def snapshot():
    modules = {
        name: module for name, module in sys.modules.items()
        if name.split(".")[0] in ("tensorflow", "tf_keras", "keras") and module is not None
    }
    reached = dict(modules)
    roots = [sys.modules[n] for n in ("tensorflow", "tf_keras") if n in sys.modules]
    # Modules that attributes lead to and no import statement.
    def walk(module, path, depth):
        for name, value in list(vars(module).items()):
            if isinstance(value, types.ModuleType) and depth and not name.startswith("__"):
                key = f"{path}->{name}"
                if all(value is not seen for seen in reached.values()):
                    reached[key] = value
                    walk(value, key, depth - 1)
    for root in roots:
        walk(root, root.__name__, 4)
    contents = {}
    for key, module in reached.items():
        if key == "tensorflow->_optimizers":
            continue  # The lazy loader behind `tf.optimizers`, which keeps what it saw last.
        for name, value in vars(module).items():
            contents[key, name] = value
        public = getattr(module, "__all__", None)
        if isinstance(public, list):
            contents[key, "listed in __all__"] = tuple(public)
    import tf_keras
    from tf_keras.src.engine import training, training_v1
    return {
        "modules": modules,
        "contents": contents,
        "environment": dict(os.environ),
        "custom objects": dict(tf_keras.utils.get_custom_objects()),
        "model": dict(vars(training.Model)),
        "model of v1": dict(vars(training_v1.Model)),
        "path": list(sys.path),
        "hooks": list(sys.meta_path),
    }

def differences(before, after):
    found = []
    for part in before:
        one, two = before[part], after[part]
        if not isinstance(one, dict):
            if one != two:
                found.append((part, one, two))
            continue
        for key in {*one, *two}:
            if key not in two:
                found.append((part, key, "gone"))
            elif key not in one:
                found.append((part, key, "new"))
            elif one[key] is not two[key] and not (
                    isinstance(one[key], (tuple, str)) and one[key] == two[key]) and (
                    key[-1] != "meta_path" or one[key] != two[key]):  # a new list each time
                found.append((part, key, f"changed from {one[key]} to {two[key]}"))
    return found
"""


@pytest.fixture(scope="module")
def installed_first() -> list[str]:
    """What a process prints whose threads call `install` before they import TensorFlow."""
    return run_code(
        f"""
import os, threading, compat_lossscale
barrier, errors = threading.Barrier(8), []

def work():
    try:
        barrier.wait()
        compat_lossscale.install()
        import tensorflow as tf
        tf.keras.mixed_precision.experimental.LossScaleOptimizer
    except BaseException as error:
        errors.append(error)

threads = [threading.Thread(target=work) for _ in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print("errors in threads:", errors)
print("while installed", os.environ["TF_USE_LEGACY_KERAS"])
{IMPORT_FORMS}
compat_lossscale.uninstall()
print("after uninstall", "TF_USE_LEGACY_KERAS" in os.environ, hasattr(mp, "experimental"))
os.environ["TF_USE_LEGACY_KERAS"] = "0"
compat_lossscale.install()
compat_lossscale.uninstall()
print("with a value", os.environ["TF_USE_LEGACY_KERAS"])
"""
    ).splitlines()


@pytest.mark.slow
def test_every_name_is_back_in_every_import_form_when_installed_first(
    installed_first: list[str],
) -> None:
    assert "fine" in installed_first


def test_every_name_is_back_when_tensorflow_was_imported_first() -> None:
    code = (
        "import tensorflow as tf\n"
        "tf.keras.mixed_precision.LossScaleOptimizer, tf.keras.optimizers.SGD\n"
        "import compat_lossscale\ncompat_lossscale.install()\n" + IMPORT_FORMS
    )
    done = run_code(code, **IMPORTED)
    assert done.splitlines()[-1] == "fine"


def test_every_name_is_back_when_the_keras_modules_were_imported_by_statement_first() -> None:
    code = (
        "import tensorflow.keras.mixed_precision, tensorflow.keras.optimizers\n"
        "import tensorflow.compat.v1.keras.mixed_precision\n"
        "import compat_lossscale\ncompat_lossscale.install()\n" + IMPORT_FORMS
    )
    done = run_code(code, **IMPORTED)
    assert done.splitlines()[-1] == "fine"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "before",
    [
        "import tensorflow as tf; tf.keras.Model",
        "import tensorflow.keras.mixed_precision, tensorflow.keras.optimizers as o; o.SGD",
        "import tensorflow.compat.v1 as tf1; tf1.keras.mixed_precision; tf1.mixed_precision",
    ],
)
def test_uninstall_leaves_tensorflow_exactly_as_found(before: str) -> None:
    out = run_code(
        SNAPSHOT
        + f"""
{before}
import tensorflow.keras as k, tensorflow.compat.v2 as tf2
import compat_lossscale
# What loading the package alone brings in is not install()'s doing.
import compat_lossscale.experimental, compat_lossscale.v1, compat_lossscale.legacy.old_names
import compat_lossscale.policies, compat_lossscale.legacy.install
import tensorflow.python.keras.mixed_precision.loss_scale_optimizer
# Nor is what TensorFlow loads when a name is first asked for.
import tensorflow as tf
for root in (tf, tf.compat.v1, tf.compat.v2):
    for lazy in (root.keras, root.losses, root.metrics, root.initializers):
        lazy.__dir__()
        getattr(lazy, "Model", None), getattr(lazy, "Mean", None), getattr(lazy, "Zeros", None)
    getattr(root.optimizers, "SGD", None) if hasattr(root, "optimizers") else None
    root.keras.mixed_precision.LossScaleOptimizer, root.keras.optimizers.SGD
    root.keras.optimizers.legacy
# Nor is what TensorFlow does when the first optimizers are made.
compat_lossscale.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(), 8)
compat_lossscale.LossScaleOptimizer(tf.keras.optimizers.legacy.SGD())
before = snapshot()
for kwargs in ({{}}, {{}}, {{"legacy_optimizers": False}}):
    compat_lossscale.install(**kwargs)
    import tensorflow as tf
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(), 8)
    changed = differences(before, snapshot())
    assert any(key == ("tensorflow->keras->mixed_precision", "experimental") or
               "experimental" in str(key) for _, key, _ in changed), changed
    compat_lossscale.uninstall()
    left = differences(before, snapshot())
    assert not left, left
compat_lossscale.uninstall()
assert not differences(before, snapshot())
try:
    tf.keras.mixed_precision.experimental
except AttributeError:
    print("gone")
try:
    import tensorflow.keras.mixed_precision.experimental
except ModuleNotFoundError:
    print("gone")
""",
        **IMPORTED,
    )
    assert out.splitlines()[-2:] == ["gone", "gone"]


def test_the_environment_is_as_found_after_uninstall(installed_first: list[str]) -> None:
    assert [line for line in installed_first if line.startswith(("while", "after", "with"))] == [
        "while installed 1",
        "after uninstall False False",
        "with a value 0",
    ]


@pytest.mark.needs_private("else an import patches public functions of models")
def test_importing_without_installing_changes_nothing() -> None:
    run_code(
        SNAPSHOT
        + """
import tensorflow as tf
tf.keras.mixed_precision.LossScaleOptimizer
import tensorflow.compat.v1 as tf1
tf1.keras, tf1.mixed_precision.LossScale
import tf_keras
before = snapshot()
import compat_lossscale.experimental, compat_lossscale.v1
after = snapshot()
assert not hasattr(tf.keras.mixed_precision, "experimental")
assert not hasattr(tf.train.experimental, "DynamicLossScale")
untouched = ("environment", "model", "model of v1", "path", "hooks")
left = [d for d in differences(before, after) if d[0] in untouched]
assert not left, left
""",
        **IMPORTED,
    )


def test_of_blocks_on_several_threads_the_last_takes_the_names_out() -> None:
    run_code(
        """
        import threading, compat_lossscale
        import tensorflow as tf
        opened, go_on = threading.Event(), threading.Event()

        def work():
            with compat_lossscale.installed():
                opened.set()
                go_on.wait()
                held.append(hasattr(tf.keras.mixed_precision, "experimental"))

        held, thread = [], threading.Thread(target=work)
        with compat_lossscale.installed():
            thread.start()
            opened.wait()
        go_on.set()
        thread.join()
        assert held == [True], held
        assert not hasattr(tf.keras.mixed_precision, "experimental")
        """,
        **IMPORTED,
    )


def test_installed_holds_inside_the_block_only_and_nests() -> None:
    out = run_code(
        """
import compat_lossscale
from compat_lossscale import installed

def there():
    import tensorflow as tf
    return hasattr(tf.keras.mixed_precision, "experimental")

with installed():
    print(there())
    with installed():
        print(there())
    print(there())
print(there())
try:
    with installed():
        1 / 0
except ZeroDivisionError:
    print(there())
compat_lossscale.install()
compat_lossscale.install()
with installed():
    pass
print(there())
compat_lossscale.uninstall()
print(there())
""",
        **IMPORTED,
    )
    assert out.split() == ["True", "True", "True", "False", "False", "True", "False"]


def test_a_second_install_must_not_contradict_the_first() -> None:
    run_code(
        """
import compat_lossscale

def refused(**kwargs):
    try:
        with compat_lossscale.installed(**kwargs):
            return False
    except RuntimeError as error:
        assert type(error).__name__ == "InstallError"
        assert "uninstall() first" in str(error), error
    try:
        compat_lossscale.install(**kwargs)
    except RuntimeError:
        return True

for first in (True, False):
    compat_lossscale.install(legacy_optimizers=first)
    import tensorflow as tf
    sgd = tf.keras.optimizers.SGD
    assert refused(legacy_optimizers=not first)
    compat_lossscale.install(legacy_optimizers=first)
    compat_lossscale.install()
    assert tf.keras.optimizers.SGD is sgd
    compat_lossscale.uninstall()
""",
        **IMPORTED,
    )


def test_the_patches_of_keras_are_taken_back_each_time() -> None:
    run_code(
        """
import compat_lossscale
for _ in range(2):
    compat_lossscale.install()
    from compat_lossscale import optimizers, policies
    assert optimizers.keras_patches.applied and policies.keras_patches.applied
    compat_lossscale.uninstall()
    assert not optimizers.keras_patches.applied and not policies.keras_patches.applied
""",
        **IMPORTED,
    )


def test_threads_may_install_at_the_same_time(installed_first: list[str]) -> None:
    assert "errors in threads: []" in installed_first


def test_keras_3_loaded_already_is_an_error_that_says_what_to_do() -> None:
    out = run_code(
        """
import os
import tensorflow as tf
tf.keras.Model
before = dict(os.environ)
import compat_lossscale
for _ in range(2):
    try:
        compat_lossscale.install()
    except RuntimeError as error:
        print(type(error).__name__, error)
assert dict(os.environ) == before
assert not hasattr(tf.train.experimental, "DynamicLossScale")
compat_lossscale.uninstall()
""",
        tensorflow_may_be_imported=True,
    )
    lines = [line for line in out.splitlines() if line.startswith("InstallError")]
    assert len(lines) == 2
    assert "TF_USE_LEGACY_KERAS=1" in lines[0]
    assert "before `import tensorflow`" in lines[0]


@pytest.mark.slow
def test_the_optimizers_are_those_asked_for() -> None:
    for legacy in (True, False):
        out = run_code(
            f"""
import compat_lossscale
compat_lossscale.install(legacy_optimizers={legacy})
import tensorflow as tf, numpy as np
import tf_keras
base = tf_keras.optimizers.legacy.Optimizer if {legacy} else tf_keras.optimizers.Optimizer
assert issubclass(tf.keras.optimizers.Adam, base)
assert isinstance(tf.keras.optimizers.get("adam"), base)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
model.compile("sgd", "mse")
assert isinstance(model.optimizer, base), model.optimizer
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
model.compile("adam", "mse")
lso = tf.keras.mixed_precision.experimental.LossScaleOptimizer
assert isinstance(model.optimizer, lso), model.optimizer
assert isinstance(model.optimizer, base)
model.fit(np.zeros((4, 1)), np.zeros((4, 1)), verbose=0)
print(float(model.optimizer.loss_scale()), float(model.optimizer.loss_scale))
for cls in (lso, tf.keras.mixed_precision.LossScaleOptimizer):
    for family in (tf_keras.optimizers, tf_keras.optimizers.legacy):
        kwargs = {{"loss_scale": 8}} if cls is lso else {{}}
        opt = cls(family.SGD(), **kwargs)
        assert isinstance(opt, cls)
        assert type(opt) == cls
class Own(lso):
    def __init__(self, optimizer, loss_scale="dynamic"):
        super().__init__(optimizer, loss_scale)
    def get_scaled_loss(self, loss):
        return super().get_scaled_loss(loss)
for family in (tf_keras.optimizers, tf_keras.optimizers.legacy):
    own = Own(family.SGD())
    assert type(own) == Own and isinstance(own, lso)
    v = tf.Variable(1.0)
    own.minimize(lambda: v * 2.0, [v])
print("fine")
""",
            **IMPORTED,
        )
        assert out.splitlines()[-2:] == ["32768.0 32768.0", "fine"]


def test_a_saved_optimizer_comes_back_as_the_class_the_old_program_expects() -> None:
    out = run_code(
        """
import compat_lossscale
compat_lossscale.install()
import tensorflow as tf
lso = tf.keras.mixed_precision.experimental.LossScaleOptimizer
opt = lso(tf.keras.optimizers.SGD(0.5), "dynamic")
again = tf.keras.optimizers.deserialize(tf.keras.optimizers.serialize(opt))
print(isinstance(again, lso), float(again.loss_scale()), float(again.lr))
""",
        **IMPORTED,
    )
    assert out.split()[-3:] == ["True", "32768.0", "0.5"]


def test_a_missing_tensorflow_is_one_line_that_names_the_extra() -> None:
    done = python(
        "-c",
        "import importlib.util as u; real = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'tf_keras' else real(name, *a)\n"
        "import compat_lossscale\n"
        "try:\n    compat_lossscale.install()\n"
        "except ImportError as error:\n    print(error)",
    )
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    assert says(
        line,
        "compat_lossscale.install() needs TensorFlow and tf-keras (tf_keras not found): "
        "pip install tensorflow tf-keras tensorboard",
    )


def test_attention_in_files_of_tensorflow_2_4_has_no_shapes_and_loads() -> None:
    run_code(
        """
        import compat_lossscale
        compat_lossscale.install()
        import tensorflow as tf
        layer = tf.keras.layers.MultiHeadAttention(2, 4)
        config = {k: v for k, v in layer.get_config().items() if not k.endswith("_shape")}
        made = tf.keras.layers.deserialize(
            {"class_name": "MultiHeadAttention", "config": config}, use_legacy_format=True
        )
        assert made(*[tf.ones([2, 3, 4])] * 2).shape == (2, 3, 4)
        class Own(tf.keras.layers.MultiHeadAttention):
            pass
        assert type(Own.from_config(config)) is Own
        compat_lossscale.uninstall()
        try:
            type(layer).from_config(config)
        except KeyError:
            pass
        else:
            raise AssertionError("it is as it was")
        """
    )

# SPDX-License-Identifier: Apache-2.0
"""Tests of `install(keras=3)`, each in a process of its own. The golden scenarios test the rest."""

from __future__ import annotations

from typing import Any

import pytest

from tests.messages import says
from tests.support import python, run_code

IMPORTED: dict[str, Any] = {"tensorflow_may_be_imported": True}

IMPORT_FORMS = """
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as a
import tensorflow.keras.mixed_precision.experimental as b
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer, Policy
from tensorflow import keras
from tensorflow.keras import mixed_precision as mp
import tensorflow.keras as tk
from tensorflow.compat.v1.keras.mixed_precision import experimental as c
from tensorflow.compat.v2.keras.mixed_precision import experimental as d
from tensorflow.train.experimental import DynamicLossScale, FixedLossScale, LossScale
from tensorflow.mixed_precision.experimental import DynamicLossScale as DLS2
import tensorflow.compat.v1 as tf1
from tensorflow.compat.v1.mixed_precision import MixedPrecisionLossScaleOptimizer
from tensorflow.keras.mixed_precision import LossScaleOptimizer as NewLSO
import keras as bare
from keras.mixed_precision import experimental as e
import keras.mixed_precision.experimental as f
from tensorflow.python.keras.mixed_precision.experimental import loss_scale_optimizer as lso
from tensorflow.python.keras.mixed_precision.experimental.policy import policy_scope
from tensorflow.python.training.experimental import loss_scale as loss_scale_module

import compat_lossscale
from compat_lossscale import v1
from compat_lossscale.keras3 import experimental, tensorflow_2_4

E = tf.keras.mixed_precision.experimental
for module in (E, a, b, c, d, e, f, keras.mixed_precision.experimental, mp.experimental,
               tk.mixed_precision.experimental, tf1.keras.mixed_precision.experimental,
               bare.mixed_precision.experimental):
    assert module.LossScaleOptimizer is experimental.LossScaleOptimizer, module
    for name in ("Policy", "global_policy", "set_policy", "get_layer_policy"):
        assert getattr(module, name) is getattr(experimental, name), (module, name)
assert LossScaleOptimizer is lso.LossScaleOptimizer is experimental.LossScaleOptimizer
assert Policy is experimental.Policy and policy_scope is experimental.policy_scope
for place in (tf.keras, tf1.keras, bare):
    assert place.mixed_precision.LossScaleOptimizer is NewLSO is tensorflow_2_4.LossScaleOptimizer
assert DynamicLossScale is DLS2 is loss_scale_module.DynamicLossScale
assert DynamicLossScale is compat_lossscale.DynamicLossScale
assert MixedPrecisionLossScaleOptimizer is v1.MixedPrecisionLossScaleOptimizer

# tf.keras stays Keras 3.
assert tf.keras.Model is bare.Model
assert tf.keras.__version__ == bare.__version__
opt = E.LossScaleOptimizer(tf.keras.optimizers.SGD(), 128)
assert type(opt) is LossScaleOptimizer
assert isinstance(opt, NewLSO) and isinstance(opt, bare.optimizers.LossScaleOptimizer)
print("fine")
"""


@pytest.mark.slow
def test_every_name_is_there_in_every_import_form_when_installed_first() -> None:
    code = "import compat_lossscale\ncompat_lossscale.install(keras=3)\n" + IMPORT_FORMS
    assert run_code(code, environment={"TF_USE_LEGACY_KERAS": "1"}).splitlines()[-1] == "fine"


@pytest.mark.parametrize("before", ["import tensorflow as tf; tf.keras.Model", "import keras"])
def test_every_name_is_there_when_keras_was_imported_first(before: str) -> None:
    code = f"{before}\nimport compat_lossscale\ncompat_lossscale.install(keras=3)\n{IMPORT_FORMS}"
    assert run_code(code, **IMPORTED).splitlines()[-1] == "fine"


def test_uninstall_leaves_tensorflow_and_keras_exactly_as_found() -> None:
    out = run_code(
        """
import os, sys
import keras, keras.src, tensorflow as tf
import compat_lossscale
import compat_lossscale.keras3.experimental, compat_lossscale.legacy.install
for root in (tf, tf.compat.v1, tf.compat.v2):
    root.keras.Model, root.losses, root.optimizers if hasattr(root, "optimizers") else None
tf.Variable(1.0)

def snapshot():
    found = {"environment": dict(os.environ), "known": dict(keras.saving.get_custom_objects())}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("tensorflow", "keras") and module is not None:
            found[name] = dict(vars(module))
            for key, value in list(vars(module).items()):
                if isinstance(value, type) and value.__module__.partition(".")[0] == "keras":
                    found[name, key] = dict(vars(value))
    return found

def differences(before, after):
    return [
        (place, key)
        for place in before.keys() | after.keys()
        for key in before.get(place, {}).keys() | after.get(place, {}).keys()
        if not key.startswith("_abc_") and place in before
        if before[place].get(key) is not after.get(place, {}).get(key)
        and not isinstance(before[place].get(key), (str, list))
    ]

compat_lossscale.install(keras=3)
compat_lossscale.uninstall()  # What TensorFlow loads when a name is first asked for stays.
before = snapshot()
compat_lossscale.install(keras=3)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(lr=1.0), 8)
assert len(differences(before, snapshot())) > 20
compat_lossscale.uninstall()
assert not differences(before, snapshot()), differences(before, snapshot())
for statement in ("tf.keras.mixed_precision.experimental", "keras.optimizers.SGD(0.1).lr"):
    try:
        eval(statement)
    except AttributeError:
        print("gone")
try:
    import tensorflow.keras.mixed_precision.experimental
except ModuleNotFoundError:
    print("gone")
""",
        **IMPORTED,
    )
    assert out.splitlines()[-3:] == ["gone", "gone", "gone"]


def test_a_process_that_has_tf_keras_is_told_how_to_start() -> None:
    done = python(
        "-c",
        "import tensorflow as tf\ntf.keras.Model\n"
        "import compat_lossscale\ncompat_lossscale.install(keras=3)",
        environment={"TF_USE_LEGACY_KERAS": "1"},
        tensorflow_may_be_imported=True,
    )
    assert done.returncode == 1
    assert says(
        done.stderr.splitlines()[-1],
        "compat_lossscale.errors.InstallError: tf.keras is tf-keras in this process already, and "
        "keras=3 asks for Keras 3. Call compat_lossscale.install(keras=3) before `import "
        "tensorflow`, or start Python without the environment variable TF_USE_LEGACY_KERAS.",
    )


@pytest.mark.sampled(2)
@pytest.mark.parametrize("said", ["by Keras", "in the environment"])
def test_another_backend_than_tensorflow_is_refused_and_nothing_stays(said: str) -> None:
    by_keras = "import keras\nkeras.backend.backend = lambda: 'jax'\n"
    out = run_code(
        (by_keras if said == "by Keras" else "")
        + """
import os
import compat_lossscale
try:
    compat_lossscale.install(keras=3)
except compat_lossscale.errors.InstallError as error:
    print(error)
print(os.environ.get("TF_USE_LEGACY_KERAS"))
""",
        environment={} if said == "by Keras" else {"KERAS_BACKEND": "jax"},
        tensorflow_may_be_imported=said == "by Keras",
    )
    message, legacy_keras = out.splitlines()[-2:]
    assert legacy_keras == "None"
    assert says(
        message,
        "Keras 3 runs on jax here, and programs of the old API need TensorFlow. Set the "
        "environment variable KERAS_BACKEND=tensorflow.",
    )


def test_a_policys_loss_scale_trains_as_it_did_and_calling_install_again_changes_nothing() -> None:
    out = run_code(
        """
import compat_lossscale
with compat_lossscale.installed(keras=3):
    compat_lossscale.install()
    compat_lossscale.install(keras=3)
    import numpy as np
    import tensorflow as tf
    tf.keras.mixed_precision.experimental.set_policy(
        tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=64))
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
    model.compile(tf.keras.optimizers.SGD(lr=0.1), "mse")
    model.fit(np.ones((2, 1)), np.ones((2, 1)), verbose=0)
    print(type(model.optimizer).__name__, float(model.optimizer.loss_scale()))
    print(int(model.optimizer.iterations))
print(hasattr(tf.keras.mixed_precision, "experimental"))
""",
        **IMPORTED,
    )
    assert out.splitlines()[-3:] == ["LossScaleOptimizer 64.0", "1", "False"]

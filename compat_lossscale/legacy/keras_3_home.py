# SPDX-License-Identifier: Apache-2.0
"""The old names on Keras 3: `tf.keras` stays Keras 3, and `compat_lossscale.keras3` serves them."""

from __future__ import annotations

import functools
import importlib
from typing import Any

from compat_lossscale._patching import Undo, modules_at, put_module, set_attribute, set_environment
from compat_lossscale._require import require_keras_3, require_tensorflow
from compat_lossscale.errors import InstallError
from compat_lossscale.legacy import waiting

_LEGACY_KERAS = "TF_USE_LEGACY_KERAS"


def require(what: str) -> None:
    """Checks that all is installed; see `require_tensorflow` and `require_keras_3`."""
    require_tensorflow(what, tf_keras=False)
    require_keras_3(what)


def select(undo: Undo) -> None:
    """Lets `tf.keras` mean Keras 3 in a TensorFlow that has not been imported yet."""
    set_environment(_LEGACY_KERAS, "0", undo)


def put(options: waiting.InstallOptions, undo: Undo) -> None:
    """Puts the old names into TensorFlow and Keras 3, which it imports.

    Args:
        options: See `install`. Members of layers and metrics are neighbours.
        undo: What takes them out again.

    Raises:
        InstallError: `tf.keras` is tf-keras already, or Keras' backend is not TensorFlow.
    """
    _check()
    from compat_lossscale.keras3 import (  # noqa: PLC0415  # they import Keras
        experimental,
        old_members,
        policies,
        tensorflow_2_4,
    )
    from compat_lossscale.keras3.tensorflow_2_4 import configs  # noqa: PLC0415  # as above
    from compat_lossscale.legacy import old_names  # noqa: PLC0415  # imports TensorFlow

    keras = importlib.import_module("keras")
    names = old_names.KerasNames(
        optimizer=tensorflow_2_4.LossScaleOptimizer,
        experimental_optimizer=experimental.LossScaleOptimizer,
        policy=policies.Policy,
        get_layer_policy=policies.get_layer_policy,
        global_policy=policies.global_policy,
        set_policy=policies.set_policy,
        policy_scope=policies.policy_scope,
        configs=configs,
        deserialize_policy=keras.dtype_policies.deserialize,
        helpers={},
    )
    old_names.put(names, undo)
    # `import keras` is the same Keras.
    for place, values in old_names.keras_table(names).items():
        put_module(f"keras.{place}", values, undo)
    for module in modules_at("tensorflow.keras.backend"):
        set_attribute(module, "set_value", old_members.set_value, undo)
    old_members.put(undo)
    if options["neighbours"]:
        old_members.put_into_layers(undo)
    policies.register(undo)

    def wrap(optimizer: Any) -> Any:
        if isinstance(optimizer, keras.optimizers.LossScaleOptimizer):
            return optimizer
        return tensorflow_2_4.LossScaleOptimizer(optimizer)

    undo.append(functools.partial(policies.patches.replace, policies.patches.applied))
    policies.enable(default=wrap)
    policies.put_get_optimizer(wrap, undo)


def _check() -> None:
    tensorflow = importlib.import_module("tensorflow")
    # TensorFlow's own attribute loads the chosen Keras when it is first asked for a name.
    if str(getattr(tensorflow.keras, "__file__", "")).replace("\\", "/").count("/tf_keras/"):
        raise InstallError(
            "tf.keras is tf-keras in this process already, and keras=3 asks for Keras 3. Call "
            "compat_lossscale.install(keras=3) before `import tensorflow`, or start Python without "
            f"the environment variable {_LEGACY_KERAS}."
        )
    backend = importlib.import_module("keras").backend.backend()
    if backend != "tensorflow":
        raise InstallError(
            f"Keras 3 runs on {backend} here, and programs of the old API need TensorFlow. Set the "
            "environment variable KERAS_BACKEND=tensorflow."
        )

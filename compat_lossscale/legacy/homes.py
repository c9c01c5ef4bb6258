# SPDX-License-Identifier: Apache-2.0
"""What the old names stand for: the front ends of tf-keras, or those of Keras 3."""

from __future__ import annotations

import functools
import importlib
import sys
from typing import TYPE_CHECKING, Any

from compat_lossscale._patching import (
    Undo,
    alias,
    modules_at,
    put_module,
    set_attribute,
    set_environment,
)
from compat_lossscale._require import require_keras_3, require_tensorflow
from compat_lossscale.errors import InstallError
from compat_lossscale.legacy import waiting

if TYPE_CHECKING:
    from compat_lossscale.legacy.old_names import KerasNames

_LEGACY_KERAS = "TF_USE_LEGACY_KERAS"


def require(what: str, *, keras: int) -> None:
    """Checks that all is installed.

    Args:
        what: What needs it, for the beginning of the message.
        keras: Which Keras `tf.keras` is, 2 or 3.

    Raises:
        MissingExtraError: TensorFlow, or the chosen Keras, is not installed.
    """
    require_tensorflow(what, tf_keras=keras == 2)
    if keras == 3:
        require_keras_3(what)


def select(undo: Undo, *, keras: int) -> None:
    """Lets `tf.keras` mean one Keras in a TensorFlow that has not been imported yet."""
    set_environment(_LEGACY_KERAS, "1" if keras == 2 else "0", undo)


def put(options: waiting.InstallOptions, undo: Undo) -> None:
    """Puts the old names into TensorFlow and the chosen Keras, which it imports.

    Args:
        options: See `install`. With Keras 3, members of layers and metrics are neighbours.
        undo: What takes them out again.

    Raises:
        InstallError: `tf.keras` is the other Keras already, or Keras 3 does not run on TensorFlow.
    """
    # TensorFlow's own attribute loads the chosen Keras when it is first asked for a name.
    tf_keras = importlib.import_module("tensorflow").keras
    is_keras_2 = "/tf_keras/" in str(getattr(tf_keras, "__file__", "")).replace("\\", "/")
    if options["keras"] == 3:
        _check_keras_3(is_keras_2=is_keras_2)
        _put_on_keras_3(undo, neighbours=options["neighbours"])
        return
    if not is_keras_2:
        raise InstallError(
            "tf.keras is Keras 3 in this process already, and the old API needs tf-keras. Call "
            "compat_lossscale.install() before `import tensorflow`, or start Python with the "
            f"environment variable {_LEGACY_KERAS}=1. To stay with Keras 3, call "
            "compat_lossscale.install(keras=3)."
        )
    _put_on_tf_keras(undo, legacy_optimizers=options["legacy_optimizers"])


def _put_on_tf_keras(undo: Undo, *, legacy_optimizers: bool) -> None:
    _patch_keras(undo)
    from compat_lossscale import policies  # noqa: PLC0415  # it imports TensorFlow
    from compat_lossscale.legacy import old_names  # noqa: PLC0415  # imports TensorFlow
    from compat_lossscale.optimizers import (  # noqa: PLC0415  # it imports TensorFlow
        LossScaleOptimizer,
        families,
        stock,
    )

    old_names.put(names_on_tf_keras(legacy_optimizers), undo)
    if legacy_optimizers:
        _put_legacy_optimizers(undo)

    def wrap(optimizer: Any) -> Any:
        if isinstance(optimizer, stock.BaseLossScaleOptimizer):
            return optimizer
        return LossScaleOptimizer(optimizer)

    undo.append(functools.partial(policies.patches.replace, policies.patches.applied))
    policies.enable(default=wrap)
    set_attribute(families, "old_names_are_installed", True, undo)


def _patch_keras(undo: Undo) -> None:
    """Imports what patches Keras, and has it patch again if the patches were taken back."""
    names = ("optimizers", "policies")
    known = [sys.modules.get(f"compat_lossscale.{name}") for name in names]
    patched = [module is not None and module.keras_is_patched() for module in known]
    from compat_lossscale import optimizers, policies  # noqa: PLC0415  # they import TensorFlow

    for module, was_patched in zip((optimizers, policies), patched, strict=True):
        module.patch_keras()
        if not was_patched:
            undo.append(module.unpatch_keras)


def names_on_tf_keras(legacy_optimizers: bool) -> KerasNames:
    """Returns what the names that are about Keras stand for.

    Args:
        legacy_optimizers: Whether the classes are those that wrap legacy optimizers.
    """
    from compat_lossscale import optimizers, policies  # noqa: PLC0415  # imports TensorFlow
    from compat_lossscale.legacy import old_names  # noqa: PLC0415  # imports TensorFlow

    stock, joined = optimizers.stock, optimizers.families.joined
    # The classes of one family, so that `type(opt) is LossScaleOptimizer` as it used to be.
    family = stock.OptimizerV2 if legacy_optimizers else stock.Optimizer
    front_end = optimizers.families.FRONT_ENDS[family]
    modules = "autocast_variable", "device_compatibility_check", "loss_scale_optimizer", "policy"
    helpers = {name: stock.mixed_precision_names(name) for name in modules}
    helpers["policy"]["with_input_dtype"] = policies.with_input_dtype
    return old_names.KerasNames(
        optimizer=joined(optimizers.LossScaleOptimizer, front_end),
        experimental_optimizer=joined(optimizers.ExperimentalLossScaleOptimizer, front_end),
        policies=policies,
        configs=optimizers.base.configs,
        deserialize_policy=policies.deserialize,
        helpers=helpers,
    )


def _put_legacy_optimizers(undo: Undo) -> None:
    from compat_lossscale.optimizers import stock  # noqa: PLC0415  # needs TensorFlow

    def get(identifier: Any, **kwargs: Any) -> Any:
        return original_get(identifier, **{"use_legacy_optimizer": True, **kwargs})

    def serialize(optimizer: Any, use_legacy_format: bool = True) -> Any:
        return original_serialize(optimizer, use_legacy_format=use_legacy_format)

    def deserialize(config: Any, custom_objects: Any = None, **kwargs: Any) -> Any:
        return original_deserialize(
            config, custom_objects, **{"use_legacy_optimizer": True, **kwargs}
        )

    original_get, original_serialize = stock.optimizers.get, stock.optimizers.serialize
    original_deserialize = stock.optimizers.deserialize
    set_attribute(stock.optimizers, "get", get, undo)
    for root in ("tensorflow", "tensorflow.compat.v2", "tensorflow.compat.v1"):
        modules = modules_at(f"{root}.keras.optimizers")
        alias(f"{root}.keras.optimizers", modules[0], undo)
        for module in modules:
            set_attribute(module, "get", get, undo)
            set_attribute(module, "serialize", serialize, undo)
            set_attribute(module, "deserialize", deserialize, undo)
            legacy = vars(module.legacy)
            for name in (name for name, value in legacy.items() if isinstance(value, type)):
                set_attribute(module, name, legacy[name], undo)


def _check_keras_3(*, is_keras_2: bool) -> None:
    if is_keras_2:
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


def _put_on_keras_3(undo: Undo, *, neighbours: bool) -> None:
    from compat_lossscale.keras3 import (  # noqa: PLC0415  # they import Keras
        experimental,
        old_members,
        policies,
        tensorflow_2_4,
    )
    from compat_lossscale.legacy import old_names  # noqa: PLC0415  # imports TensorFlow

    keras = importlib.import_module("keras")
    names = old_names.KerasNames(
        optimizer=tensorflow_2_4.LossScaleOptimizer,
        experimental_optimizer=experimental.LossScaleOptimizer,
        policies=policies,
        configs=tensorflow_2_4.configs,
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
    if neighbours:
        old_members.put_into_layers(undo)
    policies.register(undo)

    def wrap(optimizer: Any) -> Any:
        if isinstance(optimizer, keras.optimizers.LossScaleOptimizer):
            return optimizer
        return tensorflow_2_4.LossScaleOptimizer(optimizer)

    undo.append(functools.partial(policies.patches.replace, policies.patches.applied))
    policies.enable(default=wrap)
    policies.put_get_optimizer(wrap, undo)

# SPDX-License-Identifier: Apache-2.0
"""The old names on tf-keras: `tf.keras` is tf-keras, and they are served by its front ends."""

from __future__ import annotations

import functools
import importlib
import sys
from typing import TYPE_CHECKING, Any

from compat_lossscale._patching import Undo, alias, modules_at, set_attribute, set_environment
from compat_lossscale._require import require_tensorflow
from compat_lossscale.errors import InstallError
from compat_lossscale.legacy import waiting

if TYPE_CHECKING:
    from compat_lossscale.legacy.old_names import KerasNames

_LEGACY_KERAS = "TF_USE_LEGACY_KERAS"


def require(what: str) -> None:
    """Checks that all is installed; see `require_tensorflow`."""
    require_tensorflow(what)


def select(undo: Undo) -> None:
    """Lets `tf.keras` mean tf-keras in a TensorFlow that has not been imported yet."""
    set_environment(_LEGACY_KERAS, "1", undo)


def put(options: waiting.InstallOptions, undo: Undo) -> None:
    """Puts the old names into TensorFlow and tf-keras, which it imports.

    Args:
        options: See `install`.
        undo: What takes them out again.

    Raises:
        InstallError: `tf.keras` is Keras 3 already.
    """
    _check()
    _patch_keras(undo)
    _put_names(options["legacy_optimizers"], undo)
    if options["legacy_optimizers"]:
        _put_legacy_optimizers(undo)
    _take_over_keras(undo)


def _check() -> None:
    keras = importlib.import_module("tensorflow").keras
    # TensorFlow's own attribute loads the chosen Keras when it is first asked for a name.
    if not str(getattr(keras, "__file__", "")).replace("\\", "/").count("/tf_keras/"):
        raise InstallError(
            "tf.keras is Keras 3 in this process already, and the old API needs tf-keras. Call "
            "compat_lossscale.install() before `import tensorflow`, or start Python with the "
            f"environment variable {_LEGACY_KERAS}=1. To stay with Keras 3, call "
            "compat_lossscale.install(keras=3)."
        )


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


def _put_names(legacy_optimizers: bool, undo: Undo) -> None:
    from compat_lossscale.legacy import old_names  # noqa: PLC0415  # imports TensorFlow

    old_names.put(names_on_tf_keras(legacy_optimizers), undo)


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
        policy=policies.Policy,
        get_layer_policy=policies.get_layer_policy,
        global_policy=policies.global_policy,
        set_policy=policies.set_policy,
        policy_scope=policies.policy_scope,
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


def _take_over_keras(undo: Undo) -> None:
    from compat_lossscale import policies  # noqa: PLC0415  # needs TensorFlow
    from compat_lossscale.optimizers import (  # noqa: PLC0415  # it imports TensorFlow
        LossScaleOptimizer,
        families,  # it imports TensorFlow
        stock,
    )

    def wrap(optimizer: Any) -> Any:
        if isinstance(optimizer, stock.BaseLossScaleOptimizer):
            return optimizer
        return LossScaleOptimizer(optimizer)

    undo.append(functools.partial(policies.patches.replace, policies.patches.applied))
    policies.enable(default=wrap)
    set_attribute(families, "old_names_are_installed", True, undo)

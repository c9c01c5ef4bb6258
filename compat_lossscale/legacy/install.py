# SPDX-License-Identifier: Apache-2.0
"""Puts the old names back into `tensorflow`, and takes them out again.

They stand for the front ends of tf-keras, or for those of Keras 3.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from compat_lossscale._import_hook import take_back
from compat_lossscale._patching import Undo, alias, modules_at, put_module, set_attribute, set_item
from compat_lossscale._require import require_keras_3, require_tensorflow
from compat_lossscale.errors import InstallError
from compat_lossscale.legacy import waiting

if TYPE_CHECKING:
    from compat_lossscale.legacy.old_names import KerasNames

_LEGACY_KERAS = "TF_USE_LEGACY_KERAS"
_SHAPES = ("query_shape", "key_shape", "value_shape")
_lock = threading.RLock()
_undo: Undo = []
"""What takes the names out again, last thing first. Empty while not installed."""
_chosen: waiting.InstallOptions = {"legacy_optimizers": True, "neighbours": True, "keras": 2}
"""What they were installed with, while they are."""
_open_blocks: list[None] = []
"""One for each block of `installed()` on any thread that needs them still."""


def install(
    *,
    legacy_optimizers: bool | None = None,
    neighbours: bool | None = None,
    keras: int | None = None,
) -> None:
    """Restores every removed loss-scale name in `tensorflow`.

    It imports TensorFlow, so set environment variables for TensorFlow before. Call it before
    anything else imports TensorFlow, so that it can choose which Keras `tf.keras` is. A second call
    changes nothing. Under `compat-lossscale run`, you need not call it.

    Args:
        legacy_optimizers: Whether `tf.keras.optimizers.SGD` and the other optimizers, and the
            strings that name them, are the classes of TensorFlow 2.0 to 2.10. `None` means yes or,
            if the names are restored already, no change. Keras 3 has no such classes.
        neighbours: Whether to restore other removed names of TensorFlow, NumPy and Python too
            (docs/neighbours.md), and whether `import keras` is tf-keras. `None` means yes or, if
            the names are restored already, no change. With Keras 3, names that need tf-keras are
            left out.
        keras: Which Keras `tf.keras` is: 2 for tf-keras, 3 for Keras 3. `None` means 2 or, if the
            names are restored already, no change.

    Raises:
        MissingExtraError: TensorFlow, or the chosen Keras, is not installed.
        InstallError: `tf.keras` is the other Keras already; Keras 3 does not run on TensorFlow; the
            names are restored already, with other arguments; or the arguments contradict each
            other.
    """
    global _chosen  # noqa: PLW0603  # one process has one TensorFlow
    with _lock:
        if _undo:
            _agreed(legacy_optimizers, neighbours, keras, _chosen)
            waiting.to_install = None
            return
        options = _agreed(legacy_optimizers, neighbours, keras, waiting.to_install)
        require("compat_lossscale.install()", keras=options["keras"])
        waiting.to_install = None
        undo: Undo = []
        try:
            select(undo, keras=options["keras"])
            _put(options, undo)
            if options["neighbours"]:
                from compat_lossscale.legacy import serving  # noqa: PLC0415  # only if used

                waiting.serve_neighbours(undo)
                serving.put(undo, keras=options["keras"])
                if options["keras"] == 2:
                    waiting.serve_keras(undo)
        except BaseException:
            take_back(undo)
            raise
        _undo.extend(undo)
        _chosen = options


def install_unless_busy(options: waiting.InstallOptions) -> bool:
    """Installs inside an import of TensorFlow, and says whether the names are in place.

    A thread that is installing already may be waiting for that import to end. It is not waited for.
    """
    if not _lock.acquire(blocking=False):
        return False
    try:
        has_families = options["keras"] != 3
        install(
            legacy_optimizers=options["legacy_optimizers"] if has_families else None,
            neighbours=options["neighbours"],
            keras=options["keras"],
        )
    finally:
        _lock.release()
    return True


def _agreed(
    legacy_optimizers: bool | None,
    neighbours: bool | None,
    keras: int | None,
    chosen: waiting.InstallOptions | None,
) -> waiting.InstallOptions:
    """What is asked for, with what is chosen already, if anything is, where nothing is asked."""
    if keras not in (None, 2, 3):
        raise InstallError(f"keras must be 2, for tf-keras, or 3, but got: {keras!r}.")
    if 3 in (keras, chosen and chosen["keras"]) and legacy_optimizers is not None:
        raise InstallError(
            f"legacy_optimizers={legacy_optimizers} is asked for, and Keras 3 has one family of "
            "optimizers only. Leave the argument out."
        )
    if chosen is None:
        return {
            "legacy_optimizers": keras != 3 and legacy_optimizers is not False,
            "neighbours": neighbours is not False,
            "keras": keras or 2,
        }
    asked = {"keras": keras, "neighbours": neighbours, "legacy_optimizers": legacy_optimizers}
    there: dict[str, object] = {**chosen}
    for name, value in asked.items():
        if value not in (None, there[name]):
            raise InstallError(
                f"The old names are in place already, with {name}={there[name]}, and now "
                f"{name}={value} is asked for. Leave the argument out to take them as they are, or "
                "call compat_lossscale.uninstall() first."
            )
    return chosen


def uninstall() -> None:
    """Leaves `tensorflow` exactly as `install()` found it. Without an `install()`, does nothing.

    If you call it under `compat-lossscale run` before the program imports TensorFlow, the import
    restores no names.
    """
    with _lock:
        take_back(_undo)
        waiting.take_back()


@contextlib.contextmanager
def installed(
    *,
    legacy_optimizers: bool | None = None,
    neighbours: bool | None = None,
    keras: int | None = None,
) -> Iterator[None]:
    """Restores the old names inside a `with` block.

    After `install()` it changes nothing. Blocks may be open on several threads: the last that ends
    takes the names out.

    Args:
        legacy_optimizers: See `install`.
        neighbours: See `install`.
        keras: See `install`.

    Raises:
        MissingExtraError: See `install`.
        InstallError: See `install`.
    """
    with _lock:
        is_own = bool(_open_blocks) or not (_undo or waiting.to_install is not None)
        install(legacy_optimizers=legacy_optimizers, neighbours=neighbours, keras=keras)
        _open_blocks.extend([None] * is_own)
    try:
        yield
    finally:
        if is_own:
            with _lock:
                _open_blocks.pop()
                if not _open_blocks:
                    uninstall()


def require(what: str, *, keras: int) -> None:
    """Checks that all is installed."""
    require_tensorflow(what, tf_keras=keras == 2)
    if keras == 3:
        require_keras_3(what)


def select(undo: Undo, *, keras: int) -> None:
    """Lets `tf.keras` mean one Keras in a TensorFlow that has not been imported yet."""
    set_item(os.environ, _LEGACY_KERAS, "1" if keras == 2 else "0", undo)


def _put(options: waiting.InstallOptions, undo: Undo) -> None:
    """Puts the old names into TensorFlow and the chosen Keras, which it imports."""
    # TensorFlow's own attribute loads the chosen Keras when it is first asked for a name.
    tf_keras = importlib.import_module("tensorflow").keras
    is_keras_2 = "/tf_keras/" in str(getattr(tf_keras, "__file__", "")).replace("\\", "/")
    if options["keras"] == 3:
        if is_keras_2:
            raise InstallError(
                "tf.keras is tf-keras in this process already, and keras=3 asks for Keras 3. Call "
                "compat_lossscale.install(keras=3) before `import tensorflow`, or start Python "
                f"without the environment variable {_LEGACY_KERAS}."
            )
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
    from compat_lossscale.optimizers import LossScaleOptimizer, base, stock  # noqa: PLC0415  # it imports TensorFlow

    old_names.put(names_on_tf_keras(legacy_optimizers), undo)
    if legacy_optimizers:
        _put_legacy_optimizers(undo)

    def wrap(optimizer: Any) -> Any:
        if isinstance(optimizer, stock.BaseLossScaleOptimizer):
            return optimizer
        return LossScaleOptimizer(optimizer)

    # TensorFlow 2.4 writes no shapes, which tf-keras wants, and learns when the layer is called.
    attention = importlib.import_module("tf_keras").layers.MultiHeadAttention
    made, unknown = attention.from_config.__func__, dict.fromkeys(_SHAPES)
    load = classmethod(lambda cls, config: made(cls, {**unknown, **config}))
    set_attribute(attention, "from_config", load, undo)
    undo.append(functools.partial(policies.patches.replace, policies.patches.applied))
    policies.enable(default=wrap)
    set_attribute(base, "old_names_are_installed", True, undo)


def _patch_keras(undo: Undo) -> None:
    """Imports what patches Keras, and has it patch again if the patches were taken back."""
    names = ("optimizers", "policies")
    known = [sys.modules.get(f"compat_lossscale.{name}") for name in names]
    patched = [module is not None and bool(module.keras_patches.applied) for module in known]
    from compat_lossscale import optimizers, policies  # noqa: PLC0415  # they import TensorFlow

    own = (optimizers.PATCHES, policies.PATCHES)
    for module, patches, was_patched in zip((optimizers, policies), own, patched, strict=True):
        module.keras_patches.add(patches)
        if not was_patched:
            undo.append(functools.partial(module.keras_patches.replace, ()))


def names_on_tf_keras(legacy_optimizers: bool) -> KerasNames:
    """Returns what names about Keras stand for, in the family of optimizers that is asked for."""
    from compat_lossscale import optimizers, policies  # noqa: PLC0415  # imports TensorFlow
    from compat_lossscale.legacy import old_names  # noqa: PLC0415  # imports TensorFlow

    stock, joined = optimizers.stock, optimizers.base.joined
    # The classes of one family, so that `type(opt) is LossScaleOptimizer` as it used to be.
    family = stock.OptimizerV2 if legacy_optimizers else stock.Optimizer
    front_end = optimizers.base.FRONT_ENDS[family]
    modules = "autocast_variable", "device_compatibility_check", "loss_scale_optimizer", "policy"
    helpers = {name: stock.mixed_precision_names(name) for name in modules}
    helpers["policy"]["with_input_dtype"] = policies.with_input_dtype
    return old_names.KerasNames(
        optimizer=joined(optimizers.LossScaleOptimizer, front_end),
        experimental_optimizer=joined(optimizers.ExperimentalLossScaleOptimizer, front_end),
        policies=policies,
        configs=optimizers.base.configs,
        deserialize_policy=stock.policy_from_config,
        helpers=helpers,
    )


def _put_legacy_optimizers(undo: Undo) -> None:
    from compat_lossscale.optimizers import stock  # noqa: PLC0415  # needs TensorFlow

    def serialize(optimizer: Any, use_legacy_format: bool = True) -> Any:
        return original_serialize(optimizer, use_legacy_format=use_legacy_format)

    original_serialize = stock.optimizers.serialize
    get = functools.partial(stock.optimizers.get, use_legacy_optimizer=True)
    deserialize = functools.partial(stock.optimizers.deserialize, use_legacy_optimizer=True)
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


def _put_on_keras_3(undo: Undo, *, neighbours: bool) -> None:
    keras = importlib.import_module("keras")
    backend = keras.backend.backend()
    if backend != "tensorflow":
        raise InstallError(
            f"Keras 3 runs on {backend} here, and programs of the old API need TensorFlow. Set the "
            "environment variable KERAS_BACKEND=tensorflow."
        )
    from compat_lossscale.keras3 import experimental, old_members, tensorflow_2_4  # noqa: PLC0415  # they import Keras
    from compat_lossscale.legacy import old_names  # noqa: PLC0415  # imports TensorFlow

    names = old_names.KerasNames(
        optimizer=tensorflow_2_4.LossScaleOptimizer,
        experimental_optimizer=experimental.LossScaleOptimizer,
        policies=experimental,
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
    experimental.register(undo)

    def wrap(optimizer: Any) -> Any:
        if isinstance(optimizer, keras.optimizers.LossScaleOptimizer):
            return optimizer
        return tensorflow_2_4.LossScaleOptimizer(optimizer)

    undo.append(functools.partial(experimental.patches.replace, experimental.patches.applied))
    experimental.enable(default=wrap)
    experimental.put_get_optimizer(wrap, undo)

# SPDX-License-Identifier: Apache-2.0
"""Puts the old names back into `tensorflow`, and takes them out again."""

from __future__ import annotations

import contextlib
import functools
import importlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

from compat_lossscale._patching import (
    Undo,
    alias,
    modules_at,
    put_module,
    put_private_module,
    set_attribute,
    set_environment,
    take_back,
)
from compat_lossscale._require import require_tensorflow
from compat_lossscale.errors import InstallError
from compat_lossscale.legacy import deferred, early_neighbours

_LEGACY_KERAS = "TF_USE_LEGACY_KERAS"
_OPTIONS = {True: "legacy-optimizers", False: "new-optimizers"}
_lock = threading.RLock()
_undo: Undo = []
"""What takes the names out again, last thing first. Empty while not installed."""
_chosen: deferred.InstallOptions = {"legacy_optimizers": True, "neighbours": True}
"""What they were installed with, while they are."""
_open_blocks = 0
"""How many `installed()` blocks are open, on all threads."""
_installed_by_block = False
"""Whether the last of them to close uninstalls."""


def install(*, legacy_optimizers: bool | None = None, neighbours: bool | None = None) -> None:
    """Puts every removed loss-scale name back into `tensorflow`, which it imports.

    Best called before TensorFlow is imported: it then also makes `tf.keras` mean tf-keras. Calling
    it again changes nothing. What TensorFlow is told by variables of the environment has to be set
    before: under `compat-lossscale run` there is no need to call it, and TensorFlow is imported
    only where the program does that.

    Args:
        legacy_optimizers: Also make `tf.keras.optimizers.SGD` and its fellows, and the strings that
            name them, mean the classes they meant up to TensorFlow 2.10. `None` means yes, or as it
            is if the names are in place already.
        neighbours: Also serve what else is gone of TensorFlow, numpy and Python that programs of
            that age use (docs/neighbours.md). `None` means the same as there.

    Raises:
        MissingExtraError: TensorFlow or tf-keras is not installed.
        InstallError: `tf.keras` is Keras 3 already, or cannot be tf-keras; or the names are in
            place already, with other arguments.
    """
    global _chosen  # noqa: PLW0603  # one process has one TensorFlow
    with _lock:
        if _undo:
            _agreed(legacy_optimizers, neighbours, _chosen)
            deferred.done()
            return
        options = _agreed(legacy_optimizers, neighbours, deferred.options())
        require_tensorflow("compat_lossscale.install()")
        deferred.done()
        undo: Undo = []
        try:
            select_tf_keras(undo)
            _check_tf_keras()
            _patch_keras(undo)
            _put_names(options["legacy_optimizers"], undo)
            if options["legacy_optimizers"]:
                _put_legacy_optimizers(undo)
            _take_over_keras(undo)
            if options["neighbours"]:
                early_neighbours.put(undo)
        except BaseException:
            take_back(undo)
            raise
        _undo.extend(undo)
        _chosen = options


def install_unless_busy(options: deferred.InstallOptions) -> bool:
    """Installs inside an import of TensorFlow.

    A thread that is installing already may be waiting for that import to end. It is not waited for.

    Returns:
        Whether the names are in place.
    """
    if not _lock.acquire(blocking=False):
        return False
    try:
        install(**options)
    finally:
        _lock.release()
    return True


def _agreed(
    legacy_optimizers: bool | None, neighbours: bool | None, chosen: deferred.InstallOptions | None
) -> deferred.InstallOptions:
    """What is asked for, with what is chosen already, if anything is, where nothing is asked."""
    if chosen is None:
        return {
            "legacy_optimizers": legacy_optimizers is not False,
            "neighbours": neighbours is not False,
        }
    if neighbours not in (None, chosen["neighbours"]):
        raise InstallError(
            f"The old names are in place already, with neighbours={chosen['neighbours']}, and now "
            f"neighbours={neighbours} is asked for. Leave the argument out to take them as they "
            "are, or call compat_lossscale.uninstall() first."
        )
    has_legacy_optimizers = chosen["legacy_optimizers"]
    if legacy_optimizers not in (None, has_legacy_optimizers):
        raise InstallError(
            f"The old names are in place already, with legacy_optimizers={has_legacy_optimizers} "
            f"(`compat-lossscale run` says so by --{_OPTIONS[has_legacy_optimizers]}), and now "
            f"legacy_optimizers={legacy_optimizers} is asked for. Leave the argument out to take "
            "them as they are, or call compat_lossscale.uninstall() first."
        )
    return chosen


def uninstall() -> None:
    """Leaves `tensorflow` exactly as `install()` found it. Without an `install()`, does nothing.

    Under `compat-lossscale run`, a TensorFlow that has not been imported yet then stays as it is.
    """
    global _installed_by_block  # noqa: PLW0603  # one process has one TensorFlow
    with _lock:
        _installed_by_block = False
        take_back(_undo)
        deferred.take_back()


@contextlib.contextmanager
def installed(
    *, legacy_optimizers: bool | None = None, neighbours: bool | None = None
) -> Iterator[None]:
    """Has the old names in place inside a `with` block.

    Within another such block, or after `install()`, it changes nothing.

    Args:
        legacy_optimizers: See `install`.
        neighbours: See `install`.

    Raises:
        MissingExtraError: See `install`.
        InstallError: See `install`.
    """
    global _open_blocks, _installed_by_block  # noqa: PLW0603  # one process has one TensorFlow
    with _lock:
        was_installed = bool(_undo) or deferred.options() is not None
        install(legacy_optimizers=legacy_optimizers, neighbours=neighbours)
        _installed_by_block |= not was_installed
        _open_blocks += 1
    try:
        yield
    finally:
        with _lock:
            _open_blocks -= 1
            if _installed_by_block and not _open_blocks:
                # Not the block that installed: another thread's may still be open after it.
                uninstall()


def select_tf_keras(undo: Undo) -> None:
    """Lets `tf.keras` mean tf-keras in a TensorFlow that has not been imported yet."""
    set_environment(_LEGACY_KERAS, "1", undo)


def _check_tf_keras() -> None:
    keras = importlib.import_module("tensorflow").keras
    # TensorFlow's own attribute loads the chosen Keras when it is first asked for a name.
    if not str(getattr(keras, "__file__", "")).replace("\\", "/").count("/tf_keras/"):
        raise InstallError(
            "tf.keras is Keras 3 in this process already, and the old API needs tf-keras. Call "
            "compat_lossscale.install() before `import tensorflow`, or start Python with the "
            f"environment variable {_LEGACY_KERAS}=1."
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
    from compat_lossscale import optimizers  # noqa: PLC0415  # imports TensorFlow
    from compat_lossscale.legacy import old_names  # noqa: PLC0415  # imports TensorFlow

    # The classes of one family, so that `type(opt) is LossScaleOptimizer` as it used to be.
    family = optimizers.stock.OptimizerV2 if legacy_optimizers else optimizers.stock.Optimizer
    front_end = optimizers.families.FRONT_ENDS[family]
    classes = (
        optimizers.families.joined(optimizers.LossScaleOptimizer, front_end),
        optimizers.families.joined(optimizers.ExperimentalLossScaleOptimizer, front_end),
    )
    for root, table in old_names.tables(*classes).items():
        for place, names in table.items():
            put_module(f"{root}.{place}", names, undo)
    for place, names in old_names.private_table(*classes).items():
        put_private_module(f"tensorflow.python.{place}", names, undo)


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
    from compat_lossscale.optimizers import LossScaleOptimizer, install_state, stock  # noqa: PLC0415  # it imports TensorFlow
    from compat_lossscale.policies import compile_wrapping  # noqa: PLC0415  # needs TensorFlow

    def wrap(optimizer: Any) -> Any:
        if isinstance(optimizer, stock.BaseLossScaleOptimizer):
            return optimizer
        return LossScaleOptimizer(optimizer)

    undo.append(functools.partial(compile_wrapping.restore, compile_wrapping.current()))
    compile_wrapping.enable(default=wrap)
    set_attribute(install_state, "old_names_are_installed", True, undo)

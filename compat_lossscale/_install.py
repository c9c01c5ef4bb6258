# SPDX-License-Identifier: Apache-2.0
"""Puts the old names back into `tensorflow`, and takes them out again."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import sys
import threading
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from compat_lossscale._require import require_tensorflow
from compat_lossscale.errors import InstallError

_LEGACY_KERAS = "TF_USE_LEGACY_KERAS"
_MISSING = object()
_OPTIONS = {True: "legacy-optimizers", False: "new-optimizers"}
_lock = threading.RLock()
_undo: list[Callable[[], None]] = []
"""What takes the names out again, last thing first. Empty while not installed."""
_has_legacy_optimizers = True
"""What they were installed with, while they are."""
_open_blocks = 0
"""How many `installed()` blocks are open, on all threads."""
_installed_by_block = False
"""Whether the last of them to close uninstalls."""


def install(*, legacy_optimizers: bool | None = None) -> None:
    """Puts every removed loss-scale name back into `tensorflow`.

    Best called before TensorFlow is imported: it then also makes `tf.keras` mean tf-keras. Calling
    it again changes nothing.

    Args:
        legacy_optimizers: Also make `tf.keras.optimizers.SGD` and its fellows, and the strings that
            name them, mean the classes they meant up to TensorFlow 2.10. `None` means yes, or as it
            is if the names are in place already.

    Raises:
        MissingExtraError: TensorFlow or tf-keras is not installed.
        InstallError: `tf.keras` is Keras 3 already, or cannot be tf-keras; or the names are in
            place already, with the other `legacy_optimizers`.
    """
    global _has_legacy_optimizers  # noqa: PLW0603  # one process has one TensorFlow
    with _lock:
        if _undo:
            _check_agrees(legacy_optimizers)
            return
        legacy_optimizers = legacy_optimizers is not False
        require_tensorflow("compat_lossscale.install()")
        undo: list[Callable[[], None]] = []
        try:
            _select_tf_keras(undo)
            _teach_keras(undo)
            _put_names(legacy_optimizers, undo)
            if legacy_optimizers:
                _put_legacy_optimizers(undo)
            _take_over_keras(undo)
        except BaseException:
            _run(undo)
            raise
        _undo.extend(undo)
        _has_legacy_optimizers = legacy_optimizers


def _check_agrees(legacy_optimizers: bool | None) -> None:
    if legacy_optimizers is None or legacy_optimizers == _has_legacy_optimizers:
        return
    raise InstallError(
        f"The old names are in place already, with legacy_optimizers={_has_legacy_optimizers} "
        f"(`compat-lossscale run` says so by --{_OPTIONS[_has_legacy_optimizers]}), and now "
        f"legacy_optimizers={legacy_optimizers} is asked for. Leave the argument out to take them "
        "as they are, or call compat_lossscale.uninstall() first."
    )


def uninstall() -> None:
    """Leaves `tensorflow` exactly as `install()` found it. Without an `install()`, does nothing."""
    global _installed_by_block  # noqa: PLW0603  # one process has one TensorFlow
    with _lock:
        _installed_by_block = False
        _run(_undo)


@contextlib.contextmanager
def installed(*, legacy_optimizers: bool | None = None) -> Iterator[None]:
    """Has the old names in place inside a `with` block.

    Within another such block, or after `install()`, it changes nothing.

    Args:
        legacy_optimizers: See `install`.

    Raises:
        MissingExtraError: See `install`.
        InstallError: See `install`.
    """
    global _open_blocks, _installed_by_block  # noqa: PLW0603  # one process has one TensorFlow
    with _lock:
        was_installed = bool(_undo)
        install(legacy_optimizers=legacy_optimizers)
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


def _run(undo: list[Callable[[], None]]) -> None:
    while undo:
        undo.pop()()


def _select_tf_keras(undo: list[Callable[[], None]]) -> None:
    found = os.environ.get(_LEGACY_KERAS)
    os.environ[_LEGACY_KERAS] = "1"
    undo.append(lambda: _set_environment(_LEGACY_KERAS, found))
    keras = importlib.import_module("tensorflow").keras
    # TensorFlow's own attribute loads the chosen Keras when it is first asked for a name.
    if not str(getattr(keras, "__file__", "")).replace("\\", "/").count("/tf_keras/"):
        raise InstallError(
            "tf.keras is Keras 3 in this process already, and the old API needs tf-keras. Call "
            "compat_lossscale.install() before `import tensorflow`, or start Python with the "
            f"environment variable {_LEGACY_KERAS}=1."
        )


def _set_environment(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def _teach_keras(undo: list[Callable[[], None]]) -> None:
    """Imports what teaches Keras, and lets it teach again if it was taken back."""
    known = [sys.modules.get(f"compat_lossscale.{name}") for name in ("optimizers", "policy")]
    taught = [module is not None and module.keras_is_taught() for module in known]
    from compat_lossscale import optimizers, policy  # noqa: PLC0415  # need TensorFlow

    for module, was_taught in zip((optimizers, policy), taught, strict=True):
        module.teach_keras()
        if not was_taught:
            undo.append(module.unteach_keras)


def _put_names(legacy_optimizers: bool, undo: list[Callable[[], None]]) -> None:
    from compat_lossscale import old_names, optimizers  # noqa: PLC0415  # needs TensorFlow

    # The classes of one family, so that `type(opt) is LossScaleOptimizer` as it used to be.
    family = optimizers.stock.OptimizerV2 if legacy_optimizers else optimizers.stock.Optimizer
    front_end = optimizers.families.FRONT_ENDS[family]
    classes = (
        optimizers.families.joined(optimizers.LossScaleOptimizer, front_end),
        optimizers.families.joined(optimizers.ExperimentalLossScaleOptimizer, front_end),
    )
    for root, table in old_names.tables(*classes).items():
        for place, names in table.items():
            _put_module(f"{root}.{place}", names, undo)
    for place, names in old_names.private_table(*classes).items():
        _put_private_module(f"tensorflow.python.{place}", names, undo)


def _put_module(path: str, names: Mapping[str, Any], undo: list[Callable[[], None]]) -> None:
    """Makes `path` importable and reachable as attributes, with `names` in it."""
    modules = _modules_at(path)
    if not modules:
        parent, _, name = path.rpartition(".")
        if not _modules_at(parent):
            _put_module(parent, {}, undo)
        modules = [_new_module(path)]
        for parent_module in _modules_at(parent):
            _set(parent_module, name, modules[0], undo)
    for module in modules:
        for name, value in names.items():
            _set(module, name, value, undo)
    _alias(path, modules[0], undo)


def _put_private_module(
    path: str, names: Mapping[str, Any], undo: list[Callable[[], None]]
) -> None:
    """Puts a module with `names` in place of a private one, or where there is none.

    The private module itself is not touched: TensorFlow's own code looks its names up in it.
    """
    module = _new_module(path)
    parent, _, name = path.rpartition(".")
    package = importlib.import_module(parent)
    if path not in sys.modules:
        undo.append(functools.partial(_forget, path, package))
    try:
        vars(module).update({**vars(importlib.import_module(path)), **names})
    except ModuleNotFoundError:
        vars(module).update(names)
    _set(package, name, module, undo)
    found = sys.modules.get(path)
    sys.modules[path] = module
    undo.append(lambda: _set_imported(path, found))


def _forget(path: str, package: types.ModuleType) -> None:
    """Makes a module one that has not been imported."""
    sys.modules.pop(path, None)
    vars(package).pop(path.rpartition(".")[2], None)


def _new_module(path: str) -> types.ModuleType:
    module = types.ModuleType(path, "Old names, put back by compat_lossscale.")
    module.__path__ = []
    return module


def _set_imported(path: str, module: types.ModuleType | None) -> None:
    if module is None:
        sys.modules.pop(path, None)
    else:
        sys.modules[path] = module


def _modules_at(path: str) -> list[Any]:
    """The modules that a dotted path leads to: as attributes, and as an imported module.

    They can be two: importing `tensorflow.keras.mixed_precision` by statement makes a second copy
    of the module that `tf.keras.mixed_precision` is.
    """
    root, *names = path.split(".")
    module: Any = sys.modules[root]
    for name in names:
        module = getattr(module, name, None)
    found = [] if module is None else [module]
    imported = sys.modules.get(path)
    if imported is not None and all(imported is not one for one in found):
        found.append(imported)
    return found


def _alias(path: str, module: Any, undo: list[Callable[[], None]]) -> None:
    """Lets import statements find the very module that attributes lead to, and its parents."""
    root, *names = path.split(".")
    for depth in range(1, len(names) + 1):
        part = ".".join([root, *names[:depth]])
        if part not in sys.modules:
            sys.modules[part] = _modules_at(part)[0] if part != path else module
            undo.append(functools.partial(_set_imported, part, None))


def _set(module: Any, name: str, value: Any, undo: list[Callable[[], None]]) -> None:
    found = vars(module).get(name, _MISSING)
    public = getattr(module, "__all__", None)
    listed = list(public) if isinstance(public, list) else None
    setattr(module, name, value)

    def put_back() -> None:
        if found is _MISSING:
            delattr(module, name)
        else:
            setattr(module, name, found)
        if listed is not None:
            module.__all__[:] = listed

    undo.append(put_back)


def _put_legacy_optimizers(undo: list[Callable[[], None]]) -> None:
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
    _set(stock.optimizers, "get", get, undo)
    for root in ("tensorflow", "tensorflow.compat.v2", "tensorflow.compat.v1"):
        modules = _modules_at(f"{root}.keras.optimizers")
        _alias(f"{root}.keras.optimizers", modules[0], undo)
        for module in modules:
            _set(module, "get", get, undo)
            _set(module, "serialize", serialize, undo)
            _set(module, "deserialize", deserialize, undo)
            legacy = vars(module.legacy)
            for name in (name for name, value in legacy.items() if isinstance(value, type)):
                _set(module, name, legacy[name], undo)


def _take_over_keras(undo: list[Callable[[], None]]) -> None:
    from compat_lossscale import autowrap  # noqa: PLC0415  # needs TensorFlow
    from compat_lossscale.optimizers import LossScaleOptimizer, era, stock  # noqa: PLC0415

    def wrap(optimizer: Any) -> Any:
        if isinstance(optimizer, stock.BaseLossScaleOptimizer):
            return optimizer
        return LossScaleOptimizer(optimizer)

    undo.append(functools.partial(autowrap.restore, autowrap.current()))
    autowrap.enable(default=wrap)
    _set(era, "old_names_are_installed", True, undo)

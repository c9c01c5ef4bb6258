# SPDX-License-Identifier: Apache-2.0
"""Has everything in place before a program starts, and TensorFlow imported only where it does that.

Until then it imports nothing but what Python itself has imported when a program starts, so that a
program that needs no TensorFlow runs as it would without.
"""

from __future__ import annotations

import os

from compat_lossscale import _import_hook
from compat_lossscale.legacy import deferred, early_neighbours, own_frames

TYPE_CHECKING = False  # `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_OPTIONS = "COMPAT_LOSSSCALE_RUN"
_FOUND_PATH = "COMPAT_LOSSSCALE_FOUND_PYTHONPATH"
_PATH = "PYTHONPATH"
_SITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_site")  # noqa: PTH100, PTH118, PTH120  # no pathlib here


def environment(options: Mapping[str, bool], found_path: str | None) -> dict[str, str]:
    """The variables with which a new interpreter calls `start` before its program.

    Args:
        options: The arguments of `install_when_imported`.
        found_path: `PYTHONPATH` as it is now.
    """
    variables = {_OPTIONS: " ".join(name for name, chosen in options.items() if chosen)}
    variables[_PATH] = os.pathsep.join([_SITE, found_path] if found_path else [_SITE])
    if found_path is not None:
        variables[_FOUND_PATH] = found_path
    return variables


def start() -> None:
    """Does what the environment says, and leaves in it what the program is to find there."""
    _set_path(os.environ.pop(_FOUND_PATH, None))
    options = dict.fromkeys(os.environ.pop(_OPTIONS, "").split(), True)
    prepare(options)


def prepare(options: Mapping[str, bool]) -> None:
    """Prepares this process, and the processes that `multiprocessing` starts from it.

    Args:
        options: The arguments of `install_when_imported`.
    """
    install_when_imported("`compat-lossscale run`", **options)
    _import_hook.when_imported(
        "multiprocessing.util", lambda module: _pass_on(module, options), deferred.undo
    )


def install_when_imported(
    what: str,
    *,
    legacy_optimizers: bool = False,
    tf1: bool = False,
    neighbours: bool = False,
    keras3: bool = False,
) -> None:
    """Has the old names put into TensorFlow when it is imported; at once if it has been.

    Args:
        what: What asks for it, to begin the message with if something is not installed.
        legacy_optimizers: See `compat_lossscale.install`; of no effect with Keras 3.
        tf1: Whether `import tensorflow` in the program means TensorFlow 1.
        neighbours: See `compat_lossscale.install`.
        keras3: Whether `tf.keras` is Keras 3.
    """

    def prepare() -> None:
        from compat_lossscale.legacy import keras_3_home, tf_keras_home  # noqa: PLC0415  # only if used

        home = keras_3_home if keras3 else tf_keras_home
        home.require(what)
        home.select(deferred.undo)

    def install(options: deferred.InstallOptions) -> None:
        from compat_lossscale.legacy.install import install_unless_busy  # noqa: PLC0415  # slow

        if install_unless_busy(options) and tf1:
            tf1_imports.disable_v2_behavior()
        own_frames.hide()

    keras = 3 if keras3 else 2
    if tf1:
        from compat_lossscale.legacy import tf1_imports  # noqa: PLC0415  # only if used

        tf1_imports.redirect()
    if neighbours:
        early_neighbours.prepare(deferred.undo, keras=keras)
    deferred.defer(
        {
            "legacy_optimizers": legacy_optimizers and not keras3,
            "neighbours": neighbours,
            "keras": keras,
        },
        prepare=prepare,
        install=install,
    )


def _pass_on(util: Any, options: Mapping[str, bool]) -> None:
    """Has `multiprocessing` start its processes (spawn, forkserver) as this one was started."""
    original = util.spawnv_passfds

    def spawnv_passfds(path: Any, args: Any, passfds: Any) -> Any:
        found_path = os.environ.get(_PATH)
        os.environ.update(environment(options, found_path))
        try:
            return original(path, args, passfds)
        finally:
            for name in (_OPTIONS, _FOUND_PATH):
                os.environ.pop(name, None)
            _set_path(found_path)

    util.spawnv_passfds = spawnv_passfds

    def put_back() -> None:
        util.spawnv_passfds = original

    deferred.undo.append(put_back)


def _set_path(value: str | None) -> None:
    if value is None:
        os.environ.pop(_PATH, None)
    else:
        os.environ[_PATH] = value

# SPDX-License-Identifier: Apache-2.0
"""Puts the old names back into `tensorflow`, and takes them out again."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from compat_lossscale._patching import Undo, take_back
from compat_lossscale.errors import InstallError
from compat_lossscale.legacy import homes, waiting

_lock = threading.RLock()
_undo: Undo = []
"""What takes the names out again, last thing first. Empty while not installed."""
_chosen: waiting.InstallOptions = {"legacy_optimizers": True, "neighbours": True, "keras": 2}
"""What they were installed with, while they are."""
_open_blocks = 0
"""How many `installed()` blocks are open, on all threads."""
_installed_by_block = False
"""Whether the last of them to close uninstalls."""


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
            (docs/neighbours.md). `None` means yes or, if the names are restored already, no change.
            With Keras 3, names that need tf-keras are left out.
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
            waiting.done()
            return
        options = _agreed(legacy_optimizers, neighbours, keras, waiting.what_to_install())
        homes.require("compat_lossscale.install()", keras=options["keras"])
        waiting.done()
        undo: Undo = []
        try:
            homes.select(undo, keras=options["keras"])
            homes.put(options, undo)
            if options["neighbours"]:
                waiting.put_neighbours(undo, keras=options["keras"])
        except BaseException:
            take_back(undo)
            raise
        _undo.extend(undo)
        _chosen = options


def install_unless_busy(options: waiting.InstallOptions) -> bool:
    """Installs inside an import of TensorFlow.

    A thread that is installing already may be waiting for that import to end. It is not waited for.

    Returns:
        Whether the names are in place.
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
    global _installed_by_block  # noqa: PLW0603  # one process has one TensorFlow
    with _lock:
        _installed_by_block = False
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

    Inside another such block, or after `install()`, it changes nothing.

    Args:
        legacy_optimizers: See `install`.
        neighbours: See `install`.
        keras: See `install`.

    Raises:
        MissingExtraError: See `install`.
        InstallError: See `install`.
    """
    global _open_blocks, _installed_by_block  # noqa: PLW0603  # one process has one TensorFlow
    with _lock:
        was_installed = bool(_undo) or waiting.what_to_install() is not None
        install(legacy_optimizers=legacy_optimizers, neighbours=neighbours, keras=keras)
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

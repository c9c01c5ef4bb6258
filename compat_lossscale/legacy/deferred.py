# SPDX-License-Identifier: Apache-2.0
"""What is to be installed when the program imports TensorFlow.

Imports nothing but what Python itself has imported when a program starts.
"""

from __future__ import annotations

from compat_lossscale import _import_hook

TYPE_CHECKING = False  # `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import TypedDict

    class InstallOptions(TypedDict):
        """The arguments of `install()`."""

        legacy_optimizers: bool
        neighbours: bool
        keras: int


_TENSORFLOW = "tensorflow"
_KERAS = {2: "tf_keras", 3: "keras"}
_options: InstallOptions | None = None
undo: list[Callable[[], None]] = []
"""What takes back all that is done before `install()`. Everybody who does something adds to it."""


def defer(
    options: InstallOptions,
    *,
    prepare: Callable[[], None],
    install: Callable[[InstallOptions], None],
) -> None:
    """Has `install` called inside the import of TensorFlow; at once if it has been imported.

    Args:
        options: The arguments of `install()`.
        prepare: Called before TensorFlow's own code.
        install: Is given the options.
    """
    global _options  # noqa: PLW0603  # one process has one TensorFlow

    def before() -> None:
        if _options is not None:
            prepare()

    def watch(name: str, before: Callable[[], None] | None, other: str) -> None:
        def after(_: ModuleType) -> None:
            # One imports the other, and is not whole yet when that is. Its own hook follows.
            if _options is not None and not _import_hook.is_importing(other):
                install(_options)

        _import_hook.when_imported(name, after, undo, before=before)

    _options = options
    keras = _KERAS[options["keras"]]
    watch(_TENSORFLOW, before, keras)
    watch(keras, None, _TENSORFLOW)


def options() -> InstallOptions | None:
    """What is to be installed, while TensorFlow has not been imported."""
    return _options


def done() -> None:
    """Says that `install()` has been called."""
    global _options  # noqa: PLW0603  # one process has one TensorFlow
    _options = None


def take_back() -> None:
    """Leaves everything as it was found."""
    done()
    while undo:
        undo.pop()()

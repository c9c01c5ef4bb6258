# SPDX-License-Identifier: Apache-2.0
"""Lets `import tensorflow` mean TensorFlow 1 in a program written for 1.14 or 1.15.

Only the program's own modules are concerned. Installed packages, TensorFlow itself included,
expect TensorFlow 2 today and go on getting it.
"""

from __future__ import annotations

import builtins
import importlib
import os

from compat_lossscale.legacy import own_frames

TYPE_CHECKING = False  # `typing` is not to be imported before the program does
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "")  # noqa: PTH118, PTH120  # no pathlib here
# The same in both: the rest of the path says which API is meant.
_SHARED = ("tensorflow.compat", "tensorflow.python", "tensorflow.core")


def disable_v2_behavior() -> None:
    """Turns TensorFlow 2 behaviour off."""
    importlib.import_module("tensorflow").compat.v1.disable_v2_behavior()


def redirect() -> None:
    """Redirects the program's imports of `tensorflow`. It need not be imported yet."""
    original = builtins.__import__

    def import_(
        name: str,
        globals: Mapping[str, Any] | None = None,  # noqa: A002  # the name __import__ gives it
        locals: Mapping[str, Any] | None = None,  # noqa: A002  # `__import__`'s own name
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        if level == 0 and _is_tensorflow(name) and _is_the_programs(globals):
            if not fromlist:
                original(_in_v1(name), globals, locals, ("*",), 0)
                return importlib.import_module("tensorflow").compat.v1
            name = _in_v1(name)
        return original(name, globals, locals, fromlist, level)

    builtins.__import__ = import_
    own_frames.hide()


def _is_tensorflow(name: str) -> bool:
    if name == "tensorflow":
        return True
    return name.startswith("tensorflow.") and not any(
        name == shared or name.startswith(f"{shared}.") for shared in _SHARED
    )


def _in_v1(name: str) -> str:
    in_v1 = name.replace("tensorflow", "tensorflow.compat.v1", 1)
    try:
        importlib.import_module(in_v1)
    except ModuleNotFoundError:
        # Say that the name which the program wrote is missing, as python would.
        if not name.startswith("tensorflow.contrib"):
            return name
        raise ModuleNotFoundError(
            f"No module named {name!r}: tf.contrib ended with TensorFlow 1, and nothing here "
            "stands for it. Take it out of the program; of tf.contrib.mixed_precision, "
            "`compat-lossscale migrate --explain LS603` says what to use instead",
            name=name,
        ) from None
    return in_v1


def _is_the_programs(module_globals: Mapping[str, Any] | None) -> bool:
    module_globals = module_globals or {}
    file = module_globals.get("__file__")
    if not isinstance(file, str):
        # A program that came through standard input is in no file.
        return module_globals.get("__name__") == "__main__"
    path = os.path.realpath(file)
    installed = any(f"/{name}/" in path for name in ("site-packages", "dist-packages"))
    # This package may be in no such folder: an editable install is in that of its sources.
    return not installed and not path.startswith((*_standard_library(), _PACKAGE))


def _standard_library() -> tuple[str, ...]:
    import sysconfig  # noqa: PLC0415  # see above

    places = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
    return tuple(os.path.join(place, "") for place in places)  # noqa: PTH118  # see above

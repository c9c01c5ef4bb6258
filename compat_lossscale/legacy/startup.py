# SPDX-License-Identifier: Apache-2.0
"""Has everything in place before a program starts, and TensorFlow imported only where it does that.

Until then it imports nothing but what Python itself has imported when a program starts, so that a
program that needs no TensorFlow runs as it would without.
"""

from __future__ import annotations

import builtins
import os
import sys

from compat_lossscale import _import_hook
from compat_lossscale.legacy import waiting

TYPE_CHECKING = False  # `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType, TracebackType
    from typing import Any


_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120  # no pathlib here
_HIDDEN = (__file__, _import_hook.__file__, os.path.join(_PACKAGE, "legacy", "serving.py"))  # noqa: PTH118  # no pathlib here
"""The modules whose frames are left out of the traceback that ends a program. A program's imports,
and its reads of names that TensorFlow lacks, go through them."""


def hide() -> None:
    """Shows the traceback that `python` shows, unless the program shows its errors itself."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _excepthook


def _excepthook(
    kind: type[BaseException], error: BaseException, frames: TracebackType | None
) -> None:
    seen: list[BaseException] = []
    # Those that it was raised from or during too.
    left: list[BaseException | None] = [error]
    while left:
        one = left.pop()
        if one is not None and one not in seen:
            seen.append(one)
            left += [one.__cause__, one.__context__]
            _leave_out_hidden(one.__traceback__)
    sys.__excepthook__(kind, error, frames)


def _leave_out_hidden(frames: TracebackType | None) -> None:
    while frames is not None:
        following = frames.tb_next
        while following is not None and following.tb_frame.f_code.co_filename in _HIDDEN:
            following = following.tb_next
        frames.tb_next = following
        frames = following


_OWN_SOURCES = os.path.join(os.path.realpath(_PACKAGE), "")  # noqa: PTH118  # no pathlib here
# The same in both: the rest of the path says which API is meant.
_SHARED = ("tensorflow.compat", "tensorflow.python", "tensorflow.core")


def redirect() -> None:
    """Lets `import tensorflow` mean TensorFlow 1 in a program written for 1.14 or 1.15.

    Only the program's own modules are concerned. Installed packages, TensorFlow itself included,
    expect TensorFlow 2 today and go on getting it. It need not be imported yet.
    """
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
                return sys.modules["tensorflow"].compat.v1
            name = _in_v1(name)
        return original(name, globals, locals, fromlist, level)

    builtins.__import__ = import_
    hide()


def _is_tensorflow(name: str) -> bool:
    if name == "tensorflow":
        return True
    return name.startswith("tensorflow.") and not any(
        name == shared or name.startswith(f"{shared}.") for shared in _SHARED
    )


def _in_v1(name: str) -> str:
    import importlib  # noqa: PLC0415  # only if used

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
    if waiting.is_installed(path):
        return False
    import sysconfig  # noqa: PLC0415  # only if used

    places = [os.path.join(sysconfig.get_path(one), "") for one in ("stdlib", "platstdlib")]  # noqa: PTH118  # no pathlib here
    # This package may be in no such folder: an editable install is in that of its sources.
    return not path.startswith((*places, _OWN_SOURCES))


_TENSORFLOW = "tensorflow"
_KERASES = {2: "tf_keras", 3: "keras"}
_OPTIONS = "COMPAT_LOSSSCALE_RUN"
_PATH = "PYTHONPATH"
_SITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_site")  # noqa: PTH100, PTH118, PTH120  # no pathlib here


def environment(options: Mapping[str, bool]) -> dict[str, str]:
    """The variables with which an interpreter, and each that it starts, has the old names."""
    found = os.environ.get(_PATH)
    path = found.split(os.pathsep) if found else []
    # Another Python, or another environment, has a TensorFlow of its own.
    said = [sys.prefix, str(sys.hexversion), *(name for name in options if options[name])]
    return {
        _OPTIONS: os.pathsep.join(said),
        _PATH: os.pathsep.join(path if _SITE in path else [_SITE, *path]),
    }


def install_when_imported(
    what: str,
    *,
    legacy_optimizers: bool = False,
    tf1: bool = False,
    neighbours: bool = False,
    keras3: bool = False,
) -> None:
    """Has the old names put into TensorFlow when it is imported; at once if it has been.

    The options are those of `compat_lossscale.install`; with `tf1`, `import tensorflow` in the
    program means TensorFlow 1. `what` asks for it, and begins the message if something is not
    installed.
    """
    keras = 3 if keras3 else 2
    frameworks = (_TENSORFLOW, _KERASES[keras])

    def before() -> None:
        if waiting.to_install is not None:
            from compat_lossscale.legacy import install as installing  # noqa: PLC0415  # slow

            installing.require(what, keras=keras)
            installing.select(waiting.undo, keras=keras)

    def after(_: ModuleType) -> None:
        # One imports the other, and is not whole yet when that is. Its own hook follows.
        if waiting.to_install is None or any(map(_import_hook.is_importing, frameworks)):
            return
        from compat_lossscale.legacy.install import install_unless_busy  # noqa: PLC0415  # slow

        if install_unless_busy(waiting.to_install) and tf1:
            sys.modules["tensorflow"].compat.v1.disable_v2_behavior()
        hide()

    if tf1:
        redirect()
    if neighbours:
        waiting.serve_neighbours(waiting.undo)
        if not keras3:
            waiting.serve_keras(waiting.undo)
    waiting.to_install = {
        "legacy_optimizers": legacy_optimizers and not keras3,
        "neighbours": neighbours,
        "keras": keras,
    }
    _import_hook.when_imported(frameworks[0], after, waiting.undo, before=before)
    _import_hook.when_imported(frameworks[1], after, waiting.undo)

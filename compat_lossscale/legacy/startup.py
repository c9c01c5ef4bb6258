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

TYPE_CHECKING = False  # `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType, TracebackType
    from typing import Any, TypedDict

    class InstallOptions(TypedDict):
        """The arguments of `install()`."""

        legacy_optimizers: bool
        neighbours: bool
        keras: int


_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120  # no pathlib here
_HIDDEN = (__file__, os.path.join(_PACKAGE, "neighbours", "serving.py"))  # noqa: PTH118  # no pathlib here
"""The modules whose frames are left out of the traceback that ends a program. A program's imports,
and its reads of names that TensorFlow lacks, go through them."""


def hide() -> None:
    """Shows the traceback that `python` shows, unless the program shows its errors itself."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _excepthook


def _excepthook(
    kind: type[BaseException], error: BaseException, frames: TracebackType | None
) -> None:
    for one in _chain(error):
        _leave_out_hidden(one.__traceback__)
    sys.__excepthook__(kind, error, frames)


def _chain(error: BaseException) -> list[BaseException]:
    """An error and those that it was raised from or during."""
    errors: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and one not in errors:
            errors.append(one)
            waiting += [one.__cause__, one.__context__]
    return errors


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


def disable_v2_behavior() -> None:
    """Turns TensorFlow 2 behaviour off."""
    import importlib  # noqa: PLC0415  # only if used

    importlib.import_module("tensorflow").compat.v1.disable_v2_behavior()


def redirect() -> None:
    """Lets `import tensorflow` mean TensorFlow 1 in a program written for 1.14 or 1.15.

    Only the program's own modules are concerned. Installed packages, TensorFlow itself included,
    expect TensorFlow 2 today and go on getting it. It need not be imported yet.
    """
    import importlib  # noqa: PLC0415  # only if used

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
    installed = any(f"/{name}/" in path for name in ("site-packages", "dist-packages"))
    # This package may be in no such folder: an editable install is in that of its sources.
    return not installed and not path.startswith((*_standard_library(), _OWN_SOURCES))


def _standard_library() -> tuple[str, ...]:
    import sysconfig  # noqa: PLC0415  # see above

    places = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
    return tuple(os.path.join(place, "") for place in places)  # noqa: PTH118  # see above


PLACES = {
    "asyncio": "coroutine",
    "base64": "decodestring encodestring",
    "collections": "",
    "fractions": "gcd",
    "inspect": "ArgSpec getargspec",
    "numpy": "",
    "os": "errno",
    "scipy.signal": "",
    "time": "clock",
}
"""The modules, other than TensorFlow's, that lack names which neighbours serve; which, if few."""
ROOTS = ("distutils", "imp", "keras", "pkg_resources", "tensorflow", "tf_keras", "wandb", "xml")
"""Where modules are that are gone."""

_waiting: list[Callable[[], None]] = []
"""What takes back what waits for the first use."""
_is_put = False


def wait_for_neighbours(undo: list[Callable[[], None]], *, keras: int = 2) -> None:
    """Has the neighbours put in place when one is used for the first time.

    A program may ask for `numpy.float` or `imp` in its first line. The tables are loaded then.

    Args:
        undo: What takes them back.
        keras: See `compat_lossscale.install`.
    """
    if _is_put or _waiting:
        return

    def put_all() -> None:
        put_neighbours(undo, keras=keras)

    for place, names in PLACES.items():
        if place in sys.builtin_module_names:
            __import__(place)
        wait = _waiting_for(names.split(), put_all)
        _import_hook.when_imported(place, wait, _waiting)
    finder = _NeighbourFinder(put_all)
    _import_hook.add_finder(finder, first=False)
    _waiting.append(lambda: _import_hook.remove_finder(finder))
    undo.append(_stop_waiting)


def put_neighbours(undo: list[Callable[[], None]], *, keras: int = 2) -> None:
    """Puts the neighbours in place, unless they are.

    Args:
        undo: What takes them back.
        keras: See `compat_lossscale.install`.
    """
    global _is_put  # noqa: PLW0603  # one process has one set of modules
    if _is_put:
        return
    _stop_waiting()
    _is_put = True
    undo.append(_forget)
    from compat_lossscale import neighbours  # noqa: PLC0415  # only if used

    neighbours.put(undo, keras=keras)


def _forget() -> None:
    global _is_put  # noqa: PLW0603  # as above
    _is_put = False


def _stop_waiting() -> None:
    while _waiting:
        _waiting.pop()()


def _waiting_for(names: list[str], put_all: Callable[[], None]) -> Callable[[ModuleType], None]:
    """Has names that a module lacks looked up again with the neighbours in place (PEP 562)."""

    def wait(module: ModuleType) -> None:
        own = vars(module).get("__getattr__")

        def look_up(name: str) -> Any:
            if own is not None:
                try:
                    return own(name)
                except AttributeError:
                    pass
            if name.startswith("__") or (names and name not in names):
                raise AttributeError(
                    f"module {module.__name__!r} has no attribute {name!r}", name=name, obj=module
                )
            put_all()
            return getattr(module, name)

        def put_back() -> None:
            if vars(module).get("__getattr__") is look_up:
                del vars(module)["__getattr__"]
                if own is not None:
                    vars(module)["__getattr__"] = own

        vars(module)["__getattr__"] = look_up
        _waiting.append(put_back)

    return wait


class _NeighbourFinder:
    """Asked last, so only for modules that nobody finds."""

    def __init__(self, put_all: Callable[[], None]) -> None:
        self._put_all = put_all

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name.partition(".")[0] not in ROOTS:
            return None
        known = list(sys.meta_path)
        self._put_all()
        for finder in [finder for finder in sys.meta_path if finder not in known]:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
        return None


_TENSORFLOW = "tensorflow"
_KERASES = {2: "tf_keras", 3: "keras"}
_to_install: InstallOptions | None = None
undo: list[Callable[[], None]] = []
"""What takes back all that is done before `install()`. Everybody who does something adds to it."""


def defer(
    what_to_install: InstallOptions,
    *,
    prepare: Callable[[], None],
    install: Callable[[InstallOptions], None],
) -> None:
    """Has `install` called inside the import of TensorFlow; at once if it has been imported.

    Args:
        what_to_install: The arguments of `install()`.
        prepare: Called before TensorFlow's own code.
        install: Is given them.
    """
    global _to_install  # noqa: PLW0603  # one process has one TensorFlow

    def before() -> None:
        if _to_install is not None:
            prepare()

    def watch(name: str, before: Callable[[], None] | None, other: str) -> None:
        def after(_: ModuleType) -> None:
            # One imports the other, and is not whole yet when that is. Its own hook follows.
            if _to_install is not None and not _import_hook.is_importing(other):
                install(_to_install)

        _import_hook.when_imported(name, after, undo, before=before)

    _to_install = what_to_install
    keras = _KERASES[what_to_install["keras"]]
    watch(_TENSORFLOW, before, keras)
    watch(keras, None, _TENSORFLOW)


def what_to_install() -> InstallOptions | None:
    """What is to be installed, while TensorFlow has not been imported."""
    return _to_install


def done() -> None:
    """Says that `install()` has been called."""
    global _to_install  # noqa: PLW0603  # one process has one TensorFlow
    _to_install = None


def take_back() -> None:
    """Leaves everything as it was found."""
    done()
    while undo:
        undo.pop()()


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
        "multiprocessing.util", lambda module: _pass_on(module, options), undo
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
        home.select(undo)

    def install(options: InstallOptions) -> None:
        from compat_lossscale.legacy.install import install_unless_busy  # noqa: PLC0415  # slow

        if install_unless_busy(options) and tf1:
            disable_v2_behavior()
        hide()

    keras = 3 if keras3 else 2
    if tf1:
        redirect()
    if neighbours:
        wait_for_neighbours(undo, keras=keras)
    defer(
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

    undo.append(put_back)


def _set_path(value: str | None) -> None:
    if value is None:
        os.environ.pop(_PATH, None)
    else:
        os.environ[_PATH] = value

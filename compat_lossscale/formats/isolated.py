# SPDX-License-Identifier: Apache-2.0
"""Reads every artefact in one separate process, with limited memory and time.

A damaged file can crash a C library, keep it busy, or hit a fault in a reader. Then that one file
is unreadable, and the next file gets a new process if the old one is gone.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import enum
import functools
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import types
import typing
from pathlib import Path
from typing import Any, TypeVar

from compat_lossscale.errors import CompatLossScaleError, MissingExtraError, UnreadableArtefactError

TIMEOUT = 30
"""Seconds that one call may take. A large model takes one."""
MEMORY = 2 * 2**30
"""Bytes of address space that the process may have."""
MAX_ANSWER = 2**25
"""The largest answer, in bytes. A model of ten thousand layers with policies has half of that."""
_FUNCTIONS = {
    "read_in_this_process": "reading",
    "verify_here": "verification",
    "replace_config": "hdf5",
}
"""The functions that can be called, and the module of each."""
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from compat_lossscale.formats.isolated import serve; serve()"
)
_ALARM = getattr(signal, "SIGALRM", None)
"""What ends a process whose time is over. Windows has none."""
_NO_ANSWER = "the process that reads files gives no answer about it"
_TOO_MUCH = f"it takes more than {MEMORY // 2**30} GB of memory to read"

_T = TypeVar("_T")
_lock = threading.Lock()
_process: subprocess.Popen[bytes] | None = None


def call(kind: type[_T], function: str, path: str, *arguments: Any) -> _T:
    """Calls a function in the other process.

    Args:
        kind: The class of the result.
        function: The name of the function, one of `_FUNCTIONS`.
        path: The file, which is its first argument.
        arguments: The other arguments, JSON values.

    Returns:
        The result.

    Raises:
        UnreadableArtefactError: It failed, crashed, or exceeded a limit.
        MissingExtraError: h5py is not installed.
    """
    with _lock:
        # The other process may have been started in another folder.
        absolute = os.path.join(os.getcwd(), path)  # noqa: PTH109, PTH118  # Path drops "/."
        answer = _ask({"function": function, "arguments": [absolute, *arguments]})
    if "error" not in answer:
        try:
            return from_json(kind, answer["result"])
        except (AttributeError, KeyError, TypeError, ValueError):
            raise UnreadableArtefactError(_NO_ANSWER) from None
    if answer.get("missing"):
        raise MissingExtraError(str(answer["error"]))
    raise UnreadableArtefactError(str(answer["error"]))


def _ask(question: dict[str, Any]) -> dict[str, Any]:
    line = b""
    try:
        process = _started()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(question).encode() + b"\n")
        process.stdin.flush()
        line = process.stdout.readline(MAX_ANSWER)
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            stop()
            return {"error": str(error)}
    if not line.endswith(b"\n"):
        why = "there is too much in it" if line else _why_it_ended()
        stop()
        return {"error": why}
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    return answer if isinstance(answer, dict) else {"error": _NO_ANSWER}


def _why_it_ended() -> str:
    code = None
    if _process is not None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = _process.wait(5)
    if _ALARM is not None and code == -_ALARM:
        return f"it takes more than {TIMEOUT} seconds to read"
    return f"reading it crashed the process that reads files (exit status {code})"


def _started() -> subprocess.Popen[bytes]:
    global _process  # noqa: PLW0603  # one process serves all calls
    if _process is None or _process.poll() is not None:
        environment = {
            **os.environ,
            # No filter plugins, because they are libraries; no locks, because files are only read.
            "HDF5_PLUGIN_PRESET": "::",
            "HDF5_USE_FILE_LOCKING": "FALSE",
            # numpy's threads would reserve more memory than the limit.
            "OPENBLAS_NUM_THREADS": "1",
        }
        here = str(Path(__file__).resolve().parents[2])
        path = json.dumps([*(str(Path(entry).absolute()) for entry in sys.path if entry), here])
        _process = subprocess.Popen(
            # Isolated, so that nothing in the current folder is imported.
            [sys.executable, "-I", "-c", _START, path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
    return _process


def stop() -> None:
    """Ends the other process. The next call starts a new one."""
    global _process  # noqa: PLW0603  # one process serves all calls
    if _process is None:
        return
    _process.kill()
    _process.wait()
    for stream in (_process.stdin, _process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    _process = None


atexit.register(stop)


def serve() -> None:
    """Runs in the other process: answers calls from standard input on standard output."""
    limit_memory(MEMORY)
    # What a library prints is no answer.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # The alarm ends this process whatever a library does, and if nobody waits for it any more.
    alarm = getattr(signal, "alarm", lambda seconds: None)
    for line in sys.stdin.buffer:
        alarm(TIMEOUT)
        question = json.loads(line)
        answers.write(_answer(**question).encode() + b"\n")
        answers.flush()
        alarm(0)


def _answer(function: str, arguments: list[Any]) -> str:
    answer: dict[str, Any]
    module = importlib.import_module(f"compat_lossscale.formats.{_FUNCTIONS[function]}")
    try:
        result = getattr(module, function)(*arguments)
        return json.dumps({"result": result}, default=plain)
    except MissingExtraError as error:
        answer = {"missing": True, "error": str(error)}
    except CompatLossScaleError as error:
        answer = {"error": str(error)}
    except MemoryError:
        answer = {"error": _TOO_MUCH}
    except RecursionError:
        answer = {"error": "it is nested too deeply"}
    except Exception as error:
        # Whatever a reader does not expect of a file is a fault of the file first.
        reason = f"{type(error).__name__}: {error}"
        answer = {"error": f"it has another form than any version writes ({reason})"}
    return json.dumps(answer)


def limit_memory(size: int) -> None:
    """Limits the address space of this process, where there is such a limit: not on Windows."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415  # not on Windows

        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def plain(value: Any) -> Any:
    """Returns a dataclass or a member of an enum as `json.dumps` takes it, for its `default`."""
    return value.value if isinstance(value, enum.Enum) else vars(value)


def from_json(kind: type[_T], value: Any) -> _T:
    """Returns the dataclass that was written as JSON by `plain`."""
    made: _T = _made(kind, value)
    return made


def _made(kind: Any, value: Any) -> Any:
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        # Of None and one other class, or of classes that JSON has.
        others = [part for part in parts if part is not types.NoneType]
        return value if value is None or len(others) > 1 else _made(others[0], value)
    if origin is tuple:
        if parts[-1] is Ellipsis:
            return tuple(_made(parts[0], child) for child in value)
        return tuple(_made(part, child) for part, child in zip(parts, value, strict=True))
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{name: _made(hints[name], child) for name, child in value.items()})
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(value)
    return value


_hints = functools.cache(typing.get_type_hints)

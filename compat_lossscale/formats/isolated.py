# SPDX-License-Identifier: Apache-2.0
"""Reads every artefact in one separate process, with limited memory and time.

A damaged file can crash a C library, keep it busy, or hit a fault in a reader. Then that one file
is unreadable, and the next file gets a new process if the old one is gone. `models` converts whole
models in such processes, too.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import enum
import functools
import json
import os
import pkgutil
import signal
import subprocess
import sys
import threading
import types
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from compat_lossscale import errors
from compat_lossscale.errors import (
    CompatLossScaleError,
    InexpressibleLossScaleError,
    MissingExtraError,
    UnreadableArtefactError,
)

MEMORY = 2 * 2**30
"""Bytes of address space that the process may have that reads artefacts."""
MAX_ANSWER = 2**25
"""The largest answer, in bytes. A model of ten thousand layers with policies has half of that."""
_ENVIRONMENT = {
    # No filter plugins, because they are libraries; no locks, because files are only read.
    "HDF5_PLUGIN_PRESET": "::",
    "HDF5_USE_FILE_LOCKING": "FALSE",
    # numpy's threads would reserve more memory than the limit.
    "OPENBLAS_NUM_THREADS": "1",
    # For the libraries that convert models.
    "CUDA_VISIBLE_DEVICES": "",
    "KERAS_BACKEND": "tensorflow",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from compat_lossscale.formats.isolated import serve; serve()"
)
_ALARM = getattr(signal, "SIGALRM", None)
"""What ends a process whose time is over. Windows has none."""
_OF_THEIR_OWN_KIND = (MissingExtraError, InexpressibleLossScaleError)
"""Errors that stay what they are; any other one is an error of the process."""

_T = TypeVar("_T")


class Worker:
    """A process that answers calls, one after the other, with limited memory and time.

    The first call starts it, and a later one starts it again if it is gone. `what` is a verb.
    """

    def __init__(self, what: str, seconds: int, error: type[CompatLossScaleError]) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.seconds = seconds
        self._what, self._error = what, error
        self._lock = threading.Lock()

    def call(
        self, kind: type[_T], function: str, path: str, *arguments: Any, memory: int = MEMORY
    ) -> _T:
        """Calls `module:name` in the process, with a file and JSON values as its arguments.

        Raises:
            CompatLossScaleError: It failed, crashed, or exceeded a limit.
            MissingExtraError: h5py is not installed.
        """
        # The process may have been started in another folder.
        absolute = os.path.join(os.getcwd(), path)  # noqa: PTH109, PTH118  # Path drops "/."
        call = {"memory": memory, "seconds": self.seconds, "function": function}
        with self._lock:
            line = self._ask({**call, "arguments": [absolute, *arguments]})
        try:
            answer = json.loads(line)
            if "result" in answer:
                result: _T = from_json(kind, answer["result"])
                return result
            failure = self._failure(answer["kind"], answer["error"], memory)
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
            reason = f"the process that has to {self._what} it gives no answer"
            raise self._error(reason) from None
        raise failure

    def _ask(self, question: dict[str, Any]) -> bytes:
        line = b""
        try:
            process = self.start()
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(question).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline(MAX_ANSWER)
        except OSError as error:
            if not isinstance(error, BrokenPipeError):
                self.stop()
                raise self._error(str(error)) from None
        if not line.endswith(b"\n"):
            why = "there is too much in it" if line else self._why_it_ended()
            self.stop()
            raise self._error(why)
        return line

    def _why_it_ended(self) -> str:
        code = None
        if self.process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = self.process.wait(5)
        if _ALARM is not None and code == -_ALARM:
            return f"it takes more than {self.seconds} seconds to {self._what}"
        return f"the process that had to {self._what} it crashed (exit status {code})"

    def _failure(self, kind: str, message: str, memory: int) -> CompatLossScaleError:
        raised = getattr(errors, kind, self._error)
        if raised in _OF_THEIR_OWN_KIND:
            return raised(message)
        if kind in ("MemoryError", "ResourceExhaustedError"):
            message = f"it takes more than {memory >> 30} GB of memory to {self._what}"
        elif kind == "RecursionError":
            message = "it is nested too deeply"
        elif not hasattr(errors, kind):
            # Whatever a reader does not expect of a file is a fault of the file first.
            message = f"the attempt to {self._what} it failed with {kind}: {message}"
        return self._error(message)

    def start(self) -> subprocess.Popen[bytes]:
        """Starts the process, if it does not run, and returns it."""
        if self.process is None or self.process.poll() is not None:
            here = str(Path(__file__).resolve().parents[2])
            path = [*(str(Path(entry).absolute()) for entry in sys.path if entry), here]
            self.process = subprocess.Popen(
                # Isolated, so that nothing in the current folder is imported.
                [sys.executable, "-I", "-c", _START, json.dumps(path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **_ENVIRONMENT},
            )
        return self.process

    def stop(self) -> None:
        """Ends the process."""
        if self.process is None:
            return
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self.process = None


READER = Worker("read", 30, UnreadableArtefactError)
"""Reads every artefact. A large model takes one second."""
atexit.register(READER.stop)


def serve() -> None:
    """Runs in the process: answers calls from standard input on standard output."""
    # What a library prints is no answer, and what it reads is no call.
    calls, answers = sys.stdin, os.fdopen(os.dup(1), "wb")
    sys.stdin = None
    os.dup2(2, 1)
    # The alarm ends this process whatever a library does, and if nobody waits for it any more.
    alarm = getattr(signal, "alarm", lambda seconds: None)
    for line in calls.buffer:
        answers.write(_answer(alarm, **json.loads(line)).encode() + b"\n")
        answers.flush()
        alarm(0)


def _answer(
    alarm: Callable[[int], Any], memory: int, seconds: int, function: str, arguments: list[Any]
) -> str:
    limit_memory(memory)
    alarm(seconds)
    try:
        result = pkgutil.resolve_name(function)(*arguments)
        return json.dumps({"result": result}, default=plain)
    except (Exception, SystemExit) as error:
        # A user's script, and the libraries, raise what they like.
        return json.dumps({"kind": type(error).__name__, "error": str(error)})


def limit_memory(size: int) -> None:
    """Limits the address space of this process, where there is such a limit: not on Windows."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415  # not on Windows

        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def plain(value: Any) -> Any:
    """Returns a dataclass or a member of an enum as `json.dumps` takes it, for its `default`."""
    return value.value if isinstance(value, enum.Enum) else vars(value)


def from_json(kind: Any, value: Any) -> Any:
    """Returns the dataclass that was written as JSON by `plain`."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        # Of None and one other class, or of classes that JSON has.
        others = [part for part in parts if part is not types.NoneType]
        return value if value is None or len(others) > 1 else from_json(others[0], value)
    if origin is tuple:
        if parts[-1] is Ellipsis:
            return tuple(from_json(parts[0], child) for child in value)
        return tuple(from_json(part, child) for part, child in zip(parts, value, strict=True))
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{name: from_json(hints[name], child) for name, child in value.items()})
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(value)
    return value


_hints = functools.cache(typing.get_type_hints)

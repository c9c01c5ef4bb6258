# SPDX-License-Identifier: Apache-2.0
"""Runs the functions of `hdf5` and `hdf5_writing` in a separate process, with limited resources.

A damaged HDF5 file can crash the C library that reads it, or keep it busy forever. Then the
process ends, the file is unreadable, and the next file gets a new process.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import os
import select
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from compat_lossscale.errors import MissingExtraError
from compat_lossscale.formats.artefact import UnreadableArtefactError

TIMEOUT = 20.0
"""Seconds that one call may take."""
MEMORY = 2 * 2**30
"""Bytes of address space that the process may have."""
MAX_ANSWER = 2**29
"""The largest answer, in bytes. As JSON, the limits of `hdf5` take up to six times as much."""
_FUNCTIONS = {
    "describe": "hdf5",
    "describe_window": "hdf5",
    "list_variables": "hdf5",
    "list_window": "hdf5",
    "replace_training_config": "hdf5_writing",
    "rearrange": "hdf5_writing",
}
"""The functions that can be called, and the module of each."""
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from compat_lossscale.formats.isolated import serve; serve()"
)

_lock = threading.Lock()
_process: subprocess.Popen[bytes] | None = None


def call(function: str, path: str, *arguments: Any) -> Any:
    """Calls a function in the other process.

    Args:
        function: The name of the function, one of `_FUNCTIONS`.
        path: The file, which is its first argument.
        arguments: The other arguments, JSON values.

    Returns:
        The return value of the function.

    Raises:
        UnreadableArtefactError: It failed, crashed, or took longer than `TIMEOUT`.
        MissingExtraError: h5py is not installed.
    """
    with _lock:
        # The other process may have been started in another folder.
        absolute = str(Path(path).absolute())
        answer = _ask({"function": function, "arguments": [absolute, *arguments]})
    if "result" in answer:
        return answer["result"]
    if answer.get("missing"):
        raise MissingExtraError("reading HDF5 files needs h5py: pip install h5py")
    raise UnreadableArtefactError(f"it is not a readable HDF5 file: {answer['error']}")


def _ask(question: dict[str, Any]) -> dict[str, Any]:
    process = _started()
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(question).encode() + b"\n")
        process.stdin.flush()
        line = _read_line(process.stdout.fileno())
    except (OSError, TimeoutError) as error:
        stop()
        timed_out = isinstance(error, TimeoutError)
        return {"error": f"it took longer than {TIMEOUT:g} seconds" if timed_out else str(error)}
    if not line:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
        code = process.returncode
        stop()
        return {"error": f"the HDF5 library crashed on it (exit status {code})"}
    answer: dict[str, Any] = json.loads(line)
    return answer


def _read_line(descriptor: int) -> bytes:
    deadline = time.monotonic() + TIMEOUT
    data = bytearray()
    while not data.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([descriptor], [], [], left)[0]:
            raise TimeoutError
        chunk = os.read(descriptor, 1 << 20)
        if not chunk:
            return b""
        data += chunk
        if len(data) > MAX_ANSWER:
            raise OSError("there is too much in it")
    return bytes(data)


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
    global _process  # noqa: PLW0603  # one helper process for all
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
    _limit_memory()
    for line in sys.stdin.buffer:
        question = json.loads(line)
        answer: dict[str, Any]
        try:
            name = question["function"]
            module = importlib.import_module(f"compat_lossscale.formats.{_FUNCTIONS[name]}")
            function = getattr(module, name)
            answer = {"result": function(*question["arguments"])}
        except ImportError as error:
            answer = {"missing": True, "error": str(error)}
        except Exception as error:
            # h5py raises many kinds of errors for damaged files.
            answer = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


def _limit_memory() -> None:
    # The module exists on POSIX only; elsewhere there is no such limit.
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415  # not on Windows

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

# SPDX-License-Identifier: Apache-2.0
"""Runs Python programs in processes that are forked off one that has imported TensorFlow.

`import tensorflow` takes four seconds of processor time, and a fork takes milliseconds. A program
runs as under `python`, except that TensorFlow is imported before it starts. Use this for programs
that import TensorFlow, and for which it does not matter when. `tests.support.python` and `run_code`
do so with `tensorflow_may_be_imported`.

`compat-lossscale run` may be such a program, and its own program another: it has Python start over,
which is imitated in the same process. Tests of how `run` starts a program cannot use this.

There is one server for tf-keras and one for Keras 3, because TensorFlow reads `TF_USE_LEGACY_KERAS`
when it is imported. A third one has imported the codemod and no TensorFlow, for `migrate`. All
workers of a test run share them. Forking is sound while a process has one thread, and TensorFlow
makes its threads when its first operation runs: so the server runs none.

As a program, this file takes the arguments of `python`, and has them run by a server.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

FOLDER = "FORKED_PYTHON_FOLDER"
"""The environment variable that names the folder of the servers' sockets; empty for no servers."""
_SERVE = "--serve"
_RUN = ["-m", "compat_lossscale", "run"]
_MIGRATE = ["-m", "compat_lossscale", "migrate"]
_REPOSITORY = Path(__file__).resolve().parent.parent
_LEGACY_KERAS = "TF_USE_LEGACY_KERAS"
_OF_SERVERS = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}
"""What programs cannot set themselves, because it counts when Python or numpy starts."""
_imported: list[str] = []
"""The modules of a server."""
_path: list[str] = []
"""Where a server finds modules."""


@contextlib.contextmanager
def servers() -> Iterator[None]:
    """Lets this process and its children use servers, which end with the block."""
    with tempfile.TemporaryDirectory(prefix="forked-python-") as folder:
        os.environ[FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[FOLDER]
            for file in Path(folder).glob("*.pid"):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(file.read_text()), signal.SIGTERM)


def can_run(arguments: Sequence[str]) -> bool:
    """Whether a server can run what `python` is given: no options of Python, and on Linux.

    A server has imported Keras on TensorFlow, so other backends need a process of their own.
    """
    first = arguments[0] if arguments else "-"
    is_program = first in ("-", "-c", "-m") or not first.startswith("-")
    on_tensorflow = os.environ.get("KERAS_BACKEND", "tensorflow") == "tensorflow"
    has_servers = bool(os.environ.get(FOLDER)) and hasattr(os, "pidfd_open")
    return is_program and on_tensorflow and has_servers


def command(*arguments: str) -> list[str]:
    """What `subprocess.Popen` is given to run a program: on a server, if there is one."""
    through_a_server = ["-S", __file__] if can_run(arguments) else []
    return [sys.executable, *through_a_server, *arguments]


def run(
    arguments: Sequence[str],
    *,
    cwd: Path | None,
    environment: Mapping[str, str],
    given: str | None,
    timeout: float,
) -> subprocess.CompletedProcess[str]:
    """Runs a program, as `subprocess.run` does with captured output.

    Args:
        arguments: The arguments of `python`; see `can_run`.
        cwd: The folder to run it in.
        environment: Its environment.
        given: Its standard input.
        timeout: Seconds after which it is killed.

    Raises:
        subprocess.TimeoutExpired: It took longer.
    """
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in range(3)]
        files[0].write(given or "")
        files[0].seek(0)
        numbers = [file.fileno() for file in files]
        connection = stack.enter_context(_request(arguments, cwd, environment, numbers))
        connection.settimeout(timeout)
        try:
            code = _answer(connection)
        except TimeoutError:
            raise subprocess.TimeoutExpired(list(arguments), timeout) from None
        for file in files:
            file.seek(0)
        return subprocess.CompletedProcess(
            [sys.executable, *arguments], code, files[1].read(), files[2].read()
        )


def _request(
    arguments: Sequence[str], cwd: Path | None, environment: Mapping[str, str], files: Sequence[int]
) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(_socket_of(_kind(arguments, environment))))
    request = json.dumps(
        {
            "arguments": list(arguments),
            "cwd": str(cwd or Path.cwd()),
            "environment": dict(environment),
        }
    ).encode()
    socket.send_fds(connection, [len(request).to_bytes(8, "big")], list(files))
    connection.sendall(request)
    return connection


def _kind(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """Which server runs a program: one with the Keras that it would import, or the codemod's."""
    if list(arguments[:3]) == _MIGRATE:
        return "codemod"
    if list(arguments[:3]) == _RUN:
        return "keras-3" if "--keras3" in arguments else "tf-keras"
    is_legacy = environment.get(_LEGACY_KERAS, "") in ("1", "true", "True")
    return "tf-keras" if is_legacy else "keras-3"


def _answer(connection: socket.socket) -> int:
    """Returns how the program ended: its exit code, or a negative signal number."""
    return int(b"".join(iter(lambda: connection.recv(64), b"")))


def _socket_of(kind: str) -> Path:
    """Returns the address of a server, which is started if there is none."""
    address = Path(os.environ[FOLDER], kind)
    with address.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not address.exists():
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(str(address))
                listener.listen(100)
                server = subprocess.Popen(
                    [sys.executable, __file__, _SERVE, str(listener.fileno()), kind],
                    pass_fds=[listener.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                    env=_environment_of_server(is_legacy=kind == "tf-keras"),
                )
            address.with_suffix(".pid").write_text(str(server.pid))
    return address


def _environment_of_server(*, is_legacy: bool) -> dict[str, str]:
    environment = {**os.environ, **_OF_SERVERS, _LEGACY_KERAS: "1"}
    for name in ("PYTHONPATH", *(() if is_legacy else (_LEGACY_KERAS,))):
        environment.pop(name, None)
    return environment


def _import_what_programs_need(kind: str) -> None:
    if kind != "codemod":
        import tensorflow  # noqa: F401

        return
    sys.path[:0] = [str(_REPOSITORY), str(_REPOSITORY / "codemods")]
    import lossscale_codemods

    import compat_lossscale.cli
    import compat_lossscale.cli.migrate  # noqa: F401

    # Loads what a full parse needs.
    old = "import tensorflow as tf\ntf.train.experimental.DynamicLossScale()\n"
    lossscale_codemods.migrate_source(old)


def _serve(listener: socket.socket, kind: str) -> None:
    """Runs programs until the folder of the servers is gone."""
    _path[:] = sys.path[1:]
    _import_what_programs_need(kind)
    gc.freeze()  # No program has to look through what is there before it.
    _imported.extend(sys.modules)
    folder = Path(os.environ[FOLDER])
    while True:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not select.select([listener], [], [], 5)[0]:
            if not folder.exists():
                return
            continue
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            _serve_one(connection)
        connection.close()


def _serve_one(connection: socket.socket) -> None:
    """Runs one program in a child, and answers how it ended; kills it if nobody waits for it."""
    header, files, _, _ = socket.recv_fds(connection, 8, 3)
    size, received = int.from_bytes(header, "big"), b""
    while len(received) < size:
        received += connection.recv(size - len(received))
    program = os.fork()
    if program == 0:
        connection.close()
        _become(files, **json.loads(received))
    ended = os.pidfd_open(program)
    if connection in select.select([ended, connection], [], [])[0]:
        os.kill(program, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
    with contextlib.suppress(OSError):
        connection.sendall(str(code).encode())
    os._exit(0)


def _become(
    files: Sequence[int], arguments: Sequence[str], cwd: str, environment: Mapping[str, str]
) -> None:
    """Turns this process into one that `python` started."""
    import atexit
    import threading

    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
        _open_again(number)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    paths = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:] = [*paths, *_path]
    for name in {*sys.modules}.difference(_imported):
        del sys.modules[name]
    sys.orig_argv = [sys.executable, *arguments]
    _imitate_exec()
    code = 1
    try:
        _customize()
        _execute(*arguments)
        code = 0
    except SystemExit as exit_:
        code = _exit_code(exit_.code)
    except BaseException as error:
        inside = (
            error.__traceback__ and error.__traceback__.tb_next
        )  # without the frames of this file
        error = error.with_traceback(inside and inside.tb_next)
        sys.excepthook(type(error), error, error.__traceback__)
    threading._shutdown()  # type: ignore[attr-defined]  # as Python does at its end
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _open_again(number: int) -> None:
    """Makes a standard stream anew: the one of the server knows what `/dev/null` can do."""
    name = ("stdin", "stdout", "stderr")[number]
    old = getattr(sys, name)
    new = open(  # noqa: SIM115  # it stays open
        number,
        old.mode[0],
        encoding=old.encoding,
        errors=old.errors,
        closefd=False,
        buffering=1 if name == "stderr" else -1,
    )
    setattr(sys, name, new)
    setattr(sys, f"__{name}__", new)


def _imitate_exec() -> None:
    """Lets a program replace itself by another one of Python that a server can run."""
    original = os.execve

    def execve(path: Any, arguments: Sequence[Any], environment: Mapping[Any, Any]) -> None:
        if path == sys.executable and can_run(arguments[1:]):
            os.execve = original
            _become((), arguments[1:], os.getcwd(), environment)  # noqa: PTH109  # for chdir
        original(path, arguments, environment)

    os.execve = execve  # type: ignore[assignment]  # it returns only to fail


def _customize() -> None:
    """Imports what Python imports when it starts."""
    import importlib

    importlib.invalidate_caches()
    with contextlib.suppress(ImportError):
        importlib.import_module("sitecustomize")


def _exit_code(value: Any) -> int:
    if isinstance(value, int):
        return value & 0xFF
    if value is not None:
        print(value, file=sys.stderr)
    return int(value is not None)


def _execute(program: str, *arguments: str) -> None:
    import builtins
    import importlib
    import runpy
    import types

    importlib.invalidate_caches()
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__builtins__ = builtins  # type: ignore[attr-defined]  # as Python has it
    if program == "-m":
        sys.argv = ["-m", *arguments[1:]]
        sys.path.insert(0, str(Path.cwd()))
        runpy._run_module_as_main(arguments[0])  # type: ignore[attr-defined]  # it is what -m calls
        return
    if program == "-c":
        name, source = "<string>", arguments[0].encode()
        sys.argv = ["-c", *arguments[1:]]
        sys.path.insert(0, "")
    elif program == "-":
        name, source = "<stdin>", sys.stdin.buffer.read()
        sys.argv = ["-", *arguments]
        sys.path.insert(0, "")
    else:
        name, source = program, Path(program).read_bytes()
        main.__file__ = program
        sys.argv = [program, *arguments]
        sys.path.insert(0, str(Path(program).resolve().parent))
    exec(compile(source, name, "exec", dont_inherit=True), vars(main))


def _main(arguments: list[str]) -> None:
    if arguments[:1] == [_SERVE]:
        _serve(socket.socket(fileno=int(arguments[1])), arguments[2])
        return
    if not can_run(arguments):
        os.execv(sys.executable, [sys.executable, *arguments])
    with _request(arguments, None, os.environ, [0, 1, 2]) as connection:
        code = _answer(connection)
    if code < 0:
        os.kill(os.getpid(), -code)
    sys.exit(code)


if __name__ == "__main__":
    _main(sys.argv[1:])

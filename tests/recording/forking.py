# SPDX-License-Identifier: Apache-2.0
"""Records programs, each in a process forked off one that has imported TensorFlow once.

    python forking.py RECORDER PREPARATION

PREPARATION is Python code that imports TensorFlow. Reads one JSON object a line: the arguments of
the recorder, the folder to run in, and the file for what is written to standard error. Answers each
with a line. It runs in old environments too: Python 3.7, and nothing but the standard library.
"""

import importlib.util
import json
import os
import signal
import sys
import traceback

_SECONDS = 300


def main() -> None:
    """Serves until the input ends."""
    path, preparation = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    exec(preparation, {})
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                record(path, **json.loads(line))
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        print("done", file=answers, flush=True)


def record(path: str, arguments: list, folder: str, errors: str) -> None:  # type: ignore[type-arg]
    """Records one program in this process.

    Args:
        path: The recorder.
        arguments: Its arguments.
        folder: The folder to run in.
        errors: The file for what is written to standard output and standard error.
    """
    file = os.open(errors, os.O_WRONLY | os.O_CREAT)
    for stream in (1, 2):
        os.dup2(file, stream)
    signal.alarm(_SECONDS)
    os.chdir(folder)
    spec = importlib.util.spec_from_file_location("lossscale_recorder", path)
    assert spec is not None and spec.loader is not None  # noqa: PT018  # Python 3.7
    recorder = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(recorder)
    try:
        recorder.main(arguments)
    except SystemExit:
        pass
    except BaseException:
        traceback.print_exc()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Runs programs, each in a process forked off one that has imported TensorFlow once.

    python -m tests.codemods.both_ways.serve under_run|on_tf_keras|on_keras_3

Reads one JSON object a line: the program, its folder, and the files to write what was seen and what
it wrote to standard error to. Answers each with a line that holds how the process ended.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import types
from pathlib import Path

import compat_lossscale
from tests.codemods.both_ways.observing import Observer, left_behind
from tests.goldens.golden import SCENARIOS

UNDER_RUN = "under_run"
ON_TF_KERAS = "on_tf_keras"
ON_KERAS_3 = "on_keras_3"
_TIMEOUT_SECONDS = 300


def main() -> None:
    """Serves until the input ends."""
    (side,) = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    _import_everything(side)
    for line in sys.stdin:
        request = json.loads(line)
        process = os.fork()
        if process == 0:
            try:
                _run(side, **request)
            finally:
                os._exit(0)
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), file=answers, flush=True)


def _import_everything(side: str) -> None:
    import tensorflow as tf

    if side == ON_KERAS_3:
        import keras

        from compat_lossscale import keras3  # noqa: F401  # loaded once for all programs

        assert tf.keras.optimizers.SGD is keras.optimizers.SGD
        return
    import tf_keras

    assert tf.keras.optimizers.SGD is tf_keras.optimizers.SGD
    if side == UNDER_RUN:
        compat_lossscale.install()


def _run(side: str, script: str, folder: str, trace: str, errors: str) -> None:
    with Path(errors).open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    signal.alarm(_TIMEOUT_SECONDS)
    work = Path(folder, "work")
    work.mkdir()
    os.chdir(work)
    sys.path.append(str(SCENARIOS))  # For the module with which scenarios say what they see.
    observer = Observer(Path(folder))
    sys.stdout, sys.excepthook = observer, observer.excepthook  # type: ignore[assignment]
    code = _execute(script)
    left = {} if code else left_behind()
    seen = {"printed": observer.printed, "error": observer.error, "code": code, "left": left}
    Path(trace).write_text(json.dumps(seen), "utf-8")


def _execute(script: str) -> int:
    """Runs a script as python does, and returns its exit code."""
    sys.argv, sys.path[0] = [script], str(Path(script).parent)
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__file__ = script
    try:
        exec(compile(Path(script).read_bytes(), script, "exec", dont_inherit=True), main.__dict__)
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else int(exit_.code is not None)
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    return 0


if __name__ == "__main__":
    main()

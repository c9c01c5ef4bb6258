# SPDX-License-Identifier: Apache-2.0
"""Runs programs, each in a process forked off one that has imported TensorFlow once.

    python -m tests.codemods.both_ways.serve under_run|on_tf_keras|on_keras_3

Reads one JSON object a line: the program, its folder, and the files to write the recording and what
it wrote to standard error to. Answers each with a line that holds how the process ended.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from pathlib import Path

import compat_lossscale
from tests.codemods.both_ways.leaving import print_what_is_left
from tests.goldens.golden import SCENARIOS
from tests.recording.loading import recorder

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


def _run(side: str, script: str, folder: str, recording: str, errors: str) -> None:
    with Path(errors).open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    signal.alarm(_TIMEOUT_SECONDS)
    work = Path(folder, "work")
    work.mkdir()
    os.chdir(work)
    sys.path.append(str(SCENARIOS))  # For the module with which scenarios say what they see.
    module = recorder()
    module._LONGEST_LINE = 2**20
    execute = module._execute

    def execute_and_print(program: list[str]) -> None:
        execute(program)
        print_what_is_left()

    module._execute = execute_and_print
    try:
        module.main(["-o", recording, script])
    except SystemExit:
        pass
    except BaseException:
        traceback.print_exc()


if __name__ == "__main__":
    main()

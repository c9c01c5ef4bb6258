# SPDX-License-Identifier: Apache-2.0
"""Runs programs as `compat-lossscale run` does, one forked process each, importing TensorFlow once.

Reads one JSON object a line: the program, whether it is a TensorFlow 1 program, its working
directory, the files for its output, and its arguments if it has any. Answers each with a line that
holds its exit code. With the argument --keras3, as `compat-lossscale run --keras3` does.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import compat_lossscale
from compat_lossscale.legacy import program, startup

_KERAS_3 = "--keras3" in sys.argv[1:]
_TIMEOUT_SECONDS = 300


def main() -> None:
    """Serves until the input ends."""
    compat_lossscale.install(keras=3 if _KERAS_3 else 2)
    for line in sys.stdin:
        request = json.loads(line)
        process = os.fork()
        if process == 0:
            os._exit(_run(**request))
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _run(
    script: str, tf1: bool, folder: str, output: str, errors: str, arguments: Sequence[str] = ()
) -> int:
    for path, descriptor in ((output, 1), (errors, 2)):
        with Path(path).open("wb") as file:
            os.dup2(file.fileno(), descriptor)
    os.chdir(folder)
    signal.alarm(_TIMEOUT_SECONDS)
    startup.install_when_imported(
        "a program", legacy_optimizers=True, tf1=tf1, neighbours=True, keras3=_KERAS_3
    )
    try:
        program.run_in_process([script, *arguments])
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else int(exit_.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    else:
        return 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


if __name__ == "__main__":
    main()

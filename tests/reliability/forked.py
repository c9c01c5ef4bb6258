# SPDX-License-Identifier: Apache-2.0
"""Cheap processes: children forked from one that has imported TensorFlow and run nothing with it.

Importing TensorFlow takes seconds, a fork milliseconds. Forking is sound while there is one thread,
and TensorFlow makes its threads when its first operation runs. So the forking process must never
run one, and `fork` refuses if it did. Import this module before TensorFlow.
"""

from __future__ import annotations

import os

# numpy's linear algebra would make its threads at import.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

import signal
import sys
import traceback
from collections.abc import Callable
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any


class Child:
    """A forked process and what it sends.

    Attributes:
        pid: Its process id.
    """

    def __init__(self, pid: int, messages: Connection) -> None:
        self.pid = pid
        self._messages = messages

    def receive(self, timeout: float = 900) -> Any:
        """Returns its next message. `EOFError` if it has ended, `TimeoutError` if it is silent."""
        if not self._messages.poll(timeout):
            raise TimeoutError(f"process {self.pid} sent nothing for {timeout} s")
        return self._messages.recv()

    def kill(self) -> None:
        """Kills it, as a power cut would."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Waits for its end and returns its exit code, negative for a signal."""
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self._messages.close()
        return code


def fork(work: Callable[[Callable[[Any], None]], None]) -> Child:
    """Runs `work(send)` in a child; it ends with exit code 0, or 1 after a traceback."""
    threads = len(list(Path("/proc/self/task").iterdir()))
    if threads != 1:
        raise RuntimeError(f"a process of {threads} threads cannot be forked safely")
    reading, writing = Pipe(duplex=False)
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        writing.close()
        return Child(pid, reading)
    code = 1
    try:
        reading.close()
        work(writing.send)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        # Not sys.exit: the parent's clean-up is not the child's to run.
        os._exit(code)

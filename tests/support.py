# SPDX-License-Identifier: Apache-2.0
"""What several test modules need: execution modes, optimizer families, subprocesses."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests import forked_python

REPOSITORY = Path(__file__).resolve().parent.parent
NOBODY = 65534
"""Of whom no file is."""
NAN, INF = float("nan"), float("inf")


@dataclasses.dataclass(frozen=True)
class Family:
    """One of the two families of Keras optimizers.

    Attributes:
        name: `legacy` (OptimizerV2) or `new` (Optimizer).
    """

    name: str

    @property
    def module(self) -> Any:
        import tf_keras

        return tf_keras.optimizers.legacy if self.name == "legacy" else tf_keras.optimizers

    @property
    def base(self) -> Any:
        return self.module.Optimizer

    @property
    def other(self) -> Family:
        return Family("new" if self.name == "legacy" else "legacy")

    def sgd(self, learning_rate: Any = 1.0, **kwargs: Any) -> Any:
        return self.module.SGD(learning_rate, **kwargs)

    def adam(self, learning_rate: Any = 0.1, **kwargs: Any) -> Any:
        return self.module.Adam(learning_rate, **kwargs)


class Mode:
    """A way of running TensorFlow code: `eager`, `function`, `jit` or `graph`."""

    def __init__(self, name: str, session: Any = None) -> None:
        self.name = name
        self.session = session
        self._initialized: set[str] = set()

    def compile(self, function: Callable[..., Any], *specs: Any) -> Callable[..., Any]:
        """Makes `function` callable with numbers or arrays; its results become numpy values."""
        import tensorflow as tf

        if self.name == "graph":
            inputs = [tf.compat.v1.placeholder(spec.dtype, spec.shape) for spec in specs]
            result = function(*inputs)
            fetches = tf.no_op() if result is None else result

            def run(*values: Any) -> Any:
                self.initialize()
                return self.session.run(fetches, dict(zip(inputs, values, strict=True)))

            return run

        def without_operation(*inputs: Any) -> Any:
            result = function(*inputs)
            # A tf.function runs its operations, and cannot return one.
            return None if isinstance(result, tf.Operation) else result

        compiled = function
        if self.name in ("function", "jit"):
            compiled = tf.function(
                without_operation, input_signature=specs, jit_compile=self.name == "jit" or None
            )

        def call(*values: Any) -> Any:
            tensors = [
                tf.constant(value, spec.dtype) for value, spec in zip(values, specs, strict=True)
            ]
            return tf.nest.map_structure(self.value, compiled(*tensors))

        return call

    def value(self, tensor: Any) -> Any:
        """Reads a tensor or a variable."""
        if self.name == "graph":
            self.initialize()
            return self.session.run(tensor)
        return tensor.numpy() if hasattr(tensor, "numpy") else tensor

    def initialize(self) -> None:
        """Initializes the variables that came up since the last time."""
        import tensorflow as tf

        new = [v for v in tf.compat.v1.global_variables() if v.name not in self._initialized]
        if new:  # each initializer is an operation more, and the session has to take it in
            self._initialized |= {variable.name for variable in new}
            self.session.run(tf.compat.v1.variables_initializer(new))


def scalar_spec() -> Any:
    """The spec of a float32 scalar, for `Mode.compile`."""
    import tensorflow as tf

    return tf.TensorSpec([], tf.float32)


def python(
    *args: str,
    cwd: Path | None = None,
    timeout: float = 120,
    environment: dict[str, str | None] | None = None,
    given: str | None = None,
    before: Callable[[], None] | None = None,
    tensorflow_may_be_imported: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Runs this Python, `given` on its standard input, where it sees the two packages.

    `before` is called in the new process first. If
    `tensorflow_may_be_imported` before the program, the program starts faster: see
    `tests.forked_python`.
    """
    paths = [str(REPOSITORY), str(REPOSITORY / "codemods"), os.environ.get("PYTHONPATH", "")]
    variables = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "CUDA_VISIBLE_DEVICES": "",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    variables.pop("TF_USE_LEGACY_KERAS", None)
    for name, value in (environment or {}).items():
        if value is None:
            variables.pop(name, None)
        else:
            variables[name] = value
    if tensorflow_may_be_imported and before is None and forked_python.can_run(args):
        return forked_python.run(args, cwd=cwd, environment=variables, given=given, timeout=timeout)
    return subprocess.run(
        [sys.executable, *args],
        cwd=cwd,
        env=variables,
        input=given,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        preexec_fn=before,
    )


def without_override() -> None:
    """For `python(before=...)`: lets root read only what any user with root's files may read."""
    if sys.platform == "linux" and os.geteuid() == 0:
        import ctypes

        drop_capability, override, read_and_search = 24, 1, 2  # See prctl(2), capabilities(7).
        for capability in (override, read_and_search):
            assert ctypes.CDLL(None).prctl(drop_capability, capability, 0, 0, 0) == 0


def run_code(code: str, **kwargs: Any) -> str:
    """Runs Python code in a fresh process, which must succeed, and returns what it printed."""
    done = python("-c", textwrap.dedent(code), **kwargs)
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextlib.contextmanager
def folder_of_nobody() -> Iterator[Path]:
    """A folder of a user who is not root, as whom the test goes on."""
    # That user may not be able to read Python's own modules.
    importlib.import_module("multiprocessing.popen_fork")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        user = os.geteuid()
        if user == 0:
            os.chown(folder, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, 0)
        try:
            yield folder
        finally:
            folder.chmod(0o755)
            if user == 0:
                os.setresuid(0, 0, 0)

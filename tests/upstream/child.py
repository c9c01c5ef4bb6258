# SPDX-License-Identifier: Apache-2.0
"""Runs one of upstream's test files, in a process of its own, and writes what became of each test.

python -m tests.upstream.child FILE RESULTS BEHAVIOUR CPUS INSTALLS TEST_SRCDIR [TEST ...]
"""

from __future__ import annotations

import json
import runpy
import sys
import unittest
from pathlib import Path
from typing import Any

import compat_lossscale


class Results(unittest.TextTestResult):
    """Remembers one outcome for each test: what of its subtests is worst."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.outcomes: dict[str, dict[str, str]] = {}

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802  # unittest's name
        super().startTest(test)
        self.outcomes[_name(test)] = {"outcome": "passed"}

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802  # unittest's name
        super().addSkip(test, reason)
        self.outcomes[_name(test)] = {"outcome": "skipped", "why": reason}

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802  # unittest's name
        super().addFailure(test, err)
        self._fail(test, err)

    def addError(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802  # unittest's name
        super().addError(test, err)
        self._fail(test, err)

    def addSubTest(self, test: unittest.TestCase, subtest: Any, err: Any) -> None:  # noqa: N802  # unittest's name
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._fail(test, err)

    def _fail(self, test: Any, err: Any) -> None:
        why = f"{err[0].__name__}: {err[1]}"
        self.outcomes[_name(test)] = {"outcome": "failed", "why": why}


def _name(test: Any) -> str:
    return ".".join(str(test.id()).split(".")[-2:])


def _prepare(behaviour: str, cpus: int, installs: bool) -> None:
    if installs:
        compat_lossscale.install()
    import tensorflow as tf
    import tf_keras
    from tensorflow.python.framework import ops
    from tf_keras.src import backend
    from tf_keras.src.testing_infra import test_utils

    # Where the class was up to TensorFlow 2.12, and the function in the Keras of 2020.
    ops.Tensor = tf.Tensor
    tf_keras.backend.track_tf_optimizer = backend.track_tf_optimizer
    if behaviour == "v1":
        tf.compat.v1.disable_v2_behavior()
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * cpus)
    # What TensorFlow 2.0 could choose: today's Keras always trains in a function.
    test_utils.should_run_tf_function = lambda: True
    # Upstream's models have lambdas, which older versions loaded without asking.
    tf.keras.__internal__.enable_unsafe_deserialization()


def main(
    path: str, results: str, behaviour: str, cpus: str, installs: str, test_srcdir: str, *tests: str
) -> None:
    """Runs the file.

    Args:
        path: The file, with imports of today.
        results: Where to write the outcomes, as JSON.
        behaviour: `v2` or `v1`.
        cpus: How many logical CPUs there are to be.
        installs: `True` if the old names are to be installed.
        test_srcdir: The folder that the tests read their data from.
        tests: The tests to run, such as `PolicyTest.test_config`. By default, all.
    """
    _prepare(behaviour, int(cpus), installs == "True")
    import tensorflow as tf
    from absl import flags
    from tensorflow.python.platform import test

    def run_tests() -> None:
        runner = unittest.TextTestRunner(resultclass=Results)
        program = unittest.main(testRunner=runner, argv=[path, *tests], exit=False)
        text = json.dumps(program.result.outcomes, indent=1)
        Path(results).write_text(text, encoding="utf-8")

    flags.FLAGS([path, f"--test_srcdir={test_srcdir}"])
    # The file is run as a program, for it sets behaviours before it calls one of these.
    tf.test.main = tf.compat.v2.test.main = test.main = run_tests
    runpy.run_path(path, run_name="__main__")


if __name__ == "__main__":
    main(*sys.argv[1:])

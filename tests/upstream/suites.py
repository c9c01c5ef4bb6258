# SPDX-License-Identifier: Apache-2.0
"""Which of upstream's test files are run, where they are, and what runs beside each."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

HOW_TO_GET = {
    "keras": "git clone --bare https://github.com/keras-team/tf-keras keras.git",
    "tensorflow": (
        "git clone --bare --filter=blob:none https://github.com/tensorflow/tensorflow "
        "tensorflow.git"
    ),
}
"""How to get each repository. No file of theirs is in this one."""

KERAS_2020 = "f0c0c877babe95253667783653e6540219609cf9"
"""Keras of 16 December 2020: what TensorFlow 2.4 has, and its tests of the old names."""
KERAS_TODAY = "dd0a7237b9b24132dba3f491f3c84b0094ab796e"
"""tf-keras of 2026, whose tests have both families of optimizers."""
TENSORFLOW_2_0 = "v2.0.0"
"""The first TensorFlow 2, whose tests have the experimental classes only."""
TENSORFLOW_TODAY = "v2.21.0"
"""TensorFlow still tests its own loss scales and its graph rewrite."""

BEHAVIOURS = ("v2", "v1")
"""With TensorFlow 2's behaviour, or after `tf.compat.v1.disable_v2_behavior()`."""
CPUS = (1, 2)


@dataclasses.dataclass(frozen=True)
class Suite:
    """One test file.

    Attributes:
        name: What results and rulings call it.
        repository: A key of `HOW_TO_GET`.
        commit: The version of it.
        path: The file in the repository.
        behaviours: What it is run with: some of `BEHAVIOURS`.
        cpus: On how many logical CPUs.
        data: A folder that the test reads.
        imports: Old names and today's that this file has for its own.
        installs: Whether the old names are installed. They serve both families of optimizers.
    """

    name: str
    repository: str
    commit: str
    path: str
    behaviours: tuple[str, ...] = BEHAVIOURS
    cpus: tuple[int, ...] = CPUS
    data: str | None = None
    imports: Mapping[str, str] = dataclasses.field(default_factory=dict, hash=False)
    installs: bool = True

    def runs(self) -> list[Run]:
        """Returns the runs of this file: each behaviour on each number of CPUs."""
        return [Run(self, behaviour, cpus) for behaviour in self.behaviours for cpus in self.cpus]


@dataclasses.dataclass(frozen=True)
class Run:
    """One way to run a file."""

    suite: Suite
    behaviour: str
    cpus: int

    @property
    def name(self) -> str:
        """The suite's name and how it is run, such as `keras/policy_test v2 1`."""
        return f"{self.suite.name} {self.behaviour} {self.cpus}"


def _keras(name: str, path: str = "keras/mixed_precision", **kwargs: Any) -> Suite:
    return Suite(f"keras/{name}", "keras", KERAS_2020, f"{path}/{name}.py", **kwargs)


def _tensorflow(commit: str, name: str, path: str, **kwargs: Any) -> Suite:
    return Suite(
        f"tensorflow-{commit.removeprefix('v')}/{name}",
        "tensorflow",
        commit,
        f"tensorflow/python/{path}/{name}.py",
        **kwargs,
    )


_TRAINING = "training/experimental"
_KERAS_2_0 = "keras/mixed_precision/experimental"

SUITES = (
    _keras("loss_scale_optimizer_test"),
    _keras("keras_test", data="keras/mixed_precision/testdata"),
    # It chooses the behaviour and makes two CPUs by itself.
    _keras("layer_correctness_test", behaviours=("v2",), cpus=(2,)),
    _keras("policy_test"),
    _keras("get_layer_policy_test"),
    _keras("mixed_precision_graph_rewrite_test"),
    _keras("optimizers_test", path="keras"),
    Suite(
        "keras-today/loss_scale_optimizer_test",
        "keras",
        KERAS_TODAY,
        "tf_keras/mixed_precision/loss_scale_optimizer_test.py",
        imports={
            "tf_keras": "tf_keras.src",
            "tf_keras.mixed_precision.loss_scale_optimizer": "tests.upstream.todays_classes",
        },
        installs=False,
    ),
    _tensorflow(TENSORFLOW_2_0, "loss_scale_optimizer_test", _KERAS_2_0),
    _tensorflow(
        TENSORFLOW_2_0,
        "keras_test",
        _KERAS_2_0,
        # It means the class of TensorFlow 1's Keras.
        imports={"tensorflow.python.keras.optimizers": "tf_keras.src.optimizers.optimizer_v1"},
    ),
    _tensorflow(TENSORFLOW_2_0, "policy_test", _KERAS_2_0),
    _tensorflow(TENSORFLOW_2_0, "loss_scale_test", _TRAINING),
    _tensorflow(TENSORFLOW_TODAY, "loss_scale_test", _TRAINING),
    _tensorflow(TENSORFLOW_TODAY, "loss_scale_optimizer_test", _TRAINING),
    _tensorflow(TENSORFLOW_TODAY, "mixed_precision_test", _TRAINING),
)

# SPDX-License-Identifier: Apache-2.0
"""The five families: a Keras on a backend, with the wrapper of ours and the one of stock."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

BACKEND = os.environ.get("KERAS_BACKEND", "tensorflow")
"""Keras 3 has one backend in a process."""
if BACKEND == "jax":
    # Two processors, for DataParallel. JAX reads this when its first operation runs.
    os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")
SCALE = {"initial_scale": 2.0**12, "dynamic_growth_steps": 2}
"""Both wrappers' arguments. The scale doubles within the few steps of a case, and in float16 some
steps are skipped."""


@dataclasses.dataclass(frozen=True)
class Family:
    """A Keras, and its optimizers.

    Attributes:
        name: The name in commands, results and tables.
        backend: What computes.
    """

    name: str
    backend: str

    @property
    def is_keras_3(self) -> bool:
        return self.name.startswith("keras3")

    @functools.cached_property
    def keras(self) -> Any:
        return importlib.import_module("keras" if self.is_keras_3 else "tf_keras")

    @property
    def optimizers(self) -> Any:
        module = self.keras.optimizers
        return module.legacy if self.name == "legacy" else module

    @property
    def wrappers(self) -> tuple[Any, Any]:
        """This package's class, and stock's."""
        if self.is_keras_3:
            from compat_lossscale.keras3 import LossScaleOptimizer

            return LossScaleOptimizer, self.keras.optimizers.LossScaleOptimizer
        import compat_lossscale

        return compat_lossscale.LossScaleOptimizer, self.keras.mixed_precision.LossScaleOptimizer

    def numpy(self, value: Any) -> Any:
        """A variable's or a tensor's value. Types that NumPy does not have become float32."""
        array = np.asarray(
            self.keras.ops.convert_to_numpy(value) if self.is_keras_3 else value.numpy()
        )
        return array.astype("float32") if array.dtype.name == "bfloat16" else array


FAMILIES = (
    Family("legacy", "tensorflow"),
    Family("new", "tensorflow"),
    Family("keras3-tensorflow", "tensorflow"),
    Family("keras3-jax", "jax"),
    Family("keras3-torch", "torch"),
)
TITLES = {
    "legacy": "tf-keras, legacy",
    "new": "tf-keras, new",
    "keras3-tensorflow": "Keras 3, TensorFlow",
    "keras3-jax": "Keras 3, JAX",
    "keras3-torch": "Keras 3, PyTorch",
}


def of_this_process() -> Sequence[Family]:
    """The families that run on this process' backend."""
    return [one for one in FAMILIES if one.backend == BACKEND]


@dataclasses.dataclass(frozen=True)
class Side:
    """One of the two trainings of a case.

    Attributes:
        family: Keras.
        is_ours: Whether the wrapper is this package's.
        policy: The global policy.
    """

    family: Family
    is_ours: bool
    policy: str

    @property
    def keras(self) -> Any:
        return self.family.keras

    @property
    def layers(self) -> Any:
        return self.family.keras.layers

    @property
    def backend(self) -> str:
        return self.family.backend

    @property
    def wrapper(self) -> Any:
        return self.family.wrappers[0 if self.is_ours else 1]

    def wrap(self, inner: Any = None, **kwargs: Any) -> Any:
        """Wraps an optimizer; by default SGD with momentum."""
        return self.wrapper(inner or self.optimizer("SGD"), **{**SCALE, **kwargs})

    def optimizer(self, name: str, **kwargs: Any) -> Any:
        """An optimizer without a wrapper."""
        if name == "SGD" and not kwargs:
            kwargs = {"momentum": 0.9}
        return getattr(self.family.optimizers, name)(**{"learning_rate": 0.01, **kwargs})

    def head(self, units: int = 2, **kwargs: Any) -> Any:
        """A model's last layer, which the guides want in float32 where the policy is mixed."""
        dtype = "float32" if self.policy.startswith("mixed") else None
        return self.layers.Dense(units, dtype=dtype, **kwargs)

    def mean(self, value: Any) -> Any:
        """The mean, in the operations of the family."""
        return self._operations.mean(value)

    def exp(self, value: Any) -> Any:
        """The exponential, in the operations of the family."""
        return self._operations.exp(value)

    @property
    def _operations(self) -> Any:
        return self.keras.ops if self.family.is_keras_3 else self.keras.backend

    def begin(self) -> None:
        """Sets seeds and the policy, as in a new process."""
        self.keras.backend.clear_session()
        self.keras.mixed_precision.set_global_policy(self.policy)
        self.keras.utils.set_random_seed(0)

    def end(self) -> None:
        """Takes the policy back."""
        self.keras.mixed_precision.set_global_policy("float32")

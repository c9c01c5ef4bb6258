# SPDX-License-Identifier: Apache-2.0
"""The training steps that are measured: bare, with tf-keras' loss scaling, and with this package's.

A step is `get_unscaled_gradients` and `apply_gradients`. The bare step applies the same gradients
with the inner optimizer alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from compat_lossscale import LossScaleOptimizer

CANDIDATES = ("bare", "stock", "ours")
WRAPPERS = {"stock": tf_keras.mixed_precision.LossScaleOptimizer, "ours": LossScaleOptimizer}
_INNER = {
    ("legacy", "SGD"): lambda: tf_keras.optimizers.legacy.SGD(0.01),
    ("legacy", "Adam"): lambda: tf_keras.optimizers.legacy.Adam(0.001),
    ("new", "SGD"): lambda: tf_keras.optimizers.SGD(0.01),
    ("new", "Adam"): lambda: tf_keras.optimizers.Adam(0.001),
}


@dataclasses.dataclass(frozen=True)
class Case:
    """One row of the table.

    Attributes:
        family: `"legacy"` for OptimizerV2, `"new"` for tf-keras' Optimizer.
        inner: The inner optimizer's class.
        variables: How many variables there are.
        shape: The shape of each.
        gradients: `"dense"`, `"sparse"` (IndexedSlices of every tenth row) or `"float16"`.
        replicas: Logical devices of a MirroredStrategy; 1 is no strategy.
        fixed: Whether the loss scale is a fixed one.
    """

    family: str
    variables: int
    shape: tuple[int, ...]
    inner: str = "SGD"
    gradients: str = "dense"
    replicas: int = 1
    fixed: bool = False

    @property
    def elements(self) -> int:
        """Elements of all variables."""
        return self.variables * int(np.prod(self.shape))

    @property
    def name(self) -> str:
        """What the row is called."""
        size = " x ".join(f"{n:,}" for n in (self.variables, *self.shape))
        words = [self.family, self.inner, size]
        words += [self.gradients] if self.gradients != "dense" else []
        words += [f"{self.replicas} replicas"] if self.replicas > 1 else []
        words += ["fixed"] if self.fixed else []
        return ", ".join(words)

    def make_devices(self) -> None:
        """Makes a logical device for each replica, in a process that has used none as yet.

        A process that has two takes other paths in the steps without a strategy too.
        """
        if self.replicas > 1:
            [processor] = tf.config.list_physical_devices("CPU")
            devices = [tf.config.LogicalDeviceConfiguration()] * self.replicas
            tf.config.set_logical_device_configuration(processor, devices)


class Training:
    """An optimizer with its variables, and a step over them.

    Args:
        case: What to train.
        candidate: One of `CANDIDATES`.
        growth_steps: Good steps after which a dynamic loss scale grows.
    """

    def __init__(self, case: Case, candidate: str, growth_steps: int = 2000) -> None:
        self._case = case
        self._strategy = (
            tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(case.replicas)])
            if case.replicas > 1
            else None
        )
        with self._scope():
            self.variables = [tf.Variable(tf.ones(case.shape)) for _ in range(case.variables)]
            inner = _INNER[case.family, case.inner]()
            scale = (
                {"dynamic": False, "initial_scale": 128.0}
                if case.fixed
                else {"dynamic_growth_steps": growth_steps}
            )
            self.optimizer = inner if candidate == "bare" else WRAPPERS[candidate](inner, **scale)
        self._scaled = candidate != "bare"
        if self._scaled:
            self.optimizer.get_scaled_loss(tf.constant(1.0))

    def _scope(self) -> Any:
        return self._strategy.scope() if self._strategy else tf.name_scope("")

    def build(self) -> None:
        """Makes the optimizer's own variables, as the first step else does."""
        with self._scope():
            if self._case.family == "new":
                self.optimizer.build(self.variables)
            else:
                self.optimizer._create_all_weights(self.variables)

    def gradients(self, factor: float = 1.0) -> list[Any]:
        """Gradients of `factor * 1e-3`, in the case's kind."""
        return [self._gradient(factor * 1e-3) for _ in self.variables]

    def _gradient(self, value: float) -> Any:
        shape = self._case.shape
        if self._case.gradients == "sparse":
            rows = np.arange(0, shape[0], 10)
            return tf.IndexedSlices(
                tf.fill((len(rows), *shape[1:]), value), tf.constant(rows), tf.constant(shape)
            )
        dtype = tf.float16 if self._case.gradients == "float16" else tf.float32
        return tf.fill(shape, tf.cast(value, dtype))

    def step(self, gradients: list[Any]) -> None:
        """Applies one step."""
        if self._strategy:
            # Each replica needs tensors of its own: these stand for what its tape gave it.
            self._strategy.run(lambda: self._step([tf.identity(one) for one in gradients]))
        else:
            self._step(gradients)

    def _step(self, gradients: list[Any]) -> None:
        if self._scaled:
            gradients = self.optimizer.get_unscaled_gradients(gradients)
        if self._case.gradients == "float16":
            # What a float32 variable's gradient is cast to, by Keras' own float16 layers as well.
            gradients = [tf.cast(gradient, tf.float32) for gradient in gradients]
        self.optimizer.apply_gradients(list(zip(gradients, self.variables, strict=True)))

    def eager(self) -> Callable[[], None]:
        """The step, eagerly."""
        gradients = self.gradients()
        return lambda: self.step(gradients)

    def graph(self) -> Any:
        """The step as a `tf.function` not yet traced. The gradients come from outside of it."""
        gradients = self.gradients()

        def step() -> None:
            self.step(gradients)

        return tf.function(step)


def same_results(case: Case) -> bool:
    """Whether stock's optimizer and ours do the same, to the last bit, in a graph and eagerly.

    Ten steps, one of which has a NaN and one an infinity, with a loss scale that grows every third
    step; the scale, the counter and the variables are compared after each. With replicas only in a
    graph, which is all that is measured of them.
    """
    return all(
        np.array_equal(mine, theirs)
        for graph in ((True, False) if case.replicas == 1 else (True,))
        # Each to its end: strategies share the numbers of their reductions.
        for a, b in zip(
            list(_states(case, "stock", graph=graph)),
            list(_states(case, "ours", graph=graph)),
            strict=True,
        )
        for mine, theirs in zip(a, b, strict=True)
    )


def _states(case: Case, candidate: str, *, graph: bool) -> Iterator[list[Any]]:
    """What a candidate's scale, counts and variables are after each step."""
    training = Training(case, candidate, growth_steps=3)
    step = tf.function(training.step, reduce_retracing=True) if graph else training.step
    for number in range(10):
        factor = {4: float("nan"), 5: float("inf")}.get(number, 1.0 + number)
        if case.fixed and number in (4, 5):
            continue
        step(training.gradients(factor))
        optimizer = training.optimizer
        counter = optimizer.dynamic_counter
        yield [
            optimizer.loss_scale.numpy(),
            0 if counter is None else counter.numpy(),
            optimizer.iterations.numpy(),
            *(variable.numpy() for variable in training.variables),
        ]

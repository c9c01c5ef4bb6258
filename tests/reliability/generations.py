# SPDX-License-Identifier: Apache-2.0
"""The generations of the API behind one interface, and the training that they are tried with.

The training is a twin of itself: with a loss scale, and with the inner optimizer alone, which is
given the good steps only. Whatever the loss scale does, both must agree to the bit.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from compat_lossscale import DynamicLossScale, LossScaleOptimizer, experimental, keras3, v1
from tests.support import Family, Mode


@dataclasses.dataclass(frozen=True)
class Generation:
    """One of the APIs around one of the base classes.

    Attributes:
        api: `experimental`, `public` (the non-experimental class), `v1` or `keras3`.
        family: `legacy` (OptimizerV2) or `new` (Optimizer); `v1` for a `tf.compat.v1.train` one;
            for `keras3`, whether `scaled` or `unscaled` gradients are applied.
    """

    api: str
    family: str

    @property
    def name(self) -> str:
        return self.api if self.api == "v1" else f"{self.api}-{self.family}"

    def inner(self, kind: str) -> Any:
        """Makes an optimizer to wrap: `momentum` or `adam`."""
        if self.api == "keras3":
            optimizers = keras.optimizers
            return optimizers.SGD(0.25, 0.5) if kind == "momentum" else optimizers.Adam(0.125)
        if self.api != "v1":
            family = Family(self.family)
            return family.sgd(0.25, momentum=0.5) if kind == "momentum" else family.adam(0.125)
        if kind == "momentum":
            return tf.compat.v1.train.MomentumOptimizer(0.25, 0.5)
        return tf.compat.v1.train.AdamOptimizer(0.125)

    def wrap(self, inner: Any, loss_scale: DynamicLossScale) -> Any:
        """Wraps an optimizer, with a loss scale like the given one."""
        if self.api == "v1":
            return v1.MixedPrecisionLossScaleOptimizer(inner, loss_scale)
        if self.api == "experimental":
            return experimental.LossScaleOptimizer(inner, loss_scale)
        wrapper = keras3.LossScaleOptimizer if self.api == "keras3" else LossScaleOptimizer
        moves: dict[str, Any] = {"dynamic_growth_steps": loss_scale.increment_period}
        if loss_scale.settings is not None:
            moves = {"rule": loss_scale.rule}
        return wrapper(inner, initial_scale=loss_scale.initial_loss_scale, **moves)

    @property
    def counts_skipped_steps(self) -> bool:
        """Whether a skipped step advances `iterations` (tf-keras) or nothing."""
        return self.is_of_tf_keras

    @property
    def is_of_tf_keras(self) -> bool:
        """Whether `Model.compile` of tf-keras takes it."""
        return self.api in ("experimental", "public")

    def runs_in(self, mode: str) -> bool:
        """Whether it runs in a mode: of Keras, only the oldest runs in graphs of TensorFlow 1."""
        return mode != "graph" or self.family in ("legacy", "v1")


GENERATIONS = (
    Generation("experimental", "legacy"),
    Generation("experimental", "new"),
    Generation("public", "legacy"),
    Generation("public", "new"),
    Generation("v1", "v1"),
    Generation("keras3", "unscaled"),
    Generation("keras3", "scaled"),
)


class Training:
    """Variables, an optimizer for them, and one way to take a step.

    Args:
        generation: Which API.
        kind: Which inner optimizer.
        values: Initial values of the variables, by name.
        loss_scale: A dynamic loss scale; `None` leaves the inner optimizer bare.
    """

    def __init__(
        self,
        generation: Generation,
        kind: str,
        values: Mapping[str, Any],
        loss_scale: DynamicLossScale | None = None,
    ) -> None:
        self.generation = generation
        self.variables = {
            name: tf.Variable(np.asarray(value, np.float32), name=name)
            for name, value in values.items()
        }
        self.inner = generation.inner(kind)
        self.optimizer = generation.wrap(self.inner, loss_scale) if loss_scale else self.inner
        self.is_wrapped = loss_scale is not None
        if generation.api == "v1":
            self.steps = tf.Variable(
                0,
                dtype=tf.int64,
                name="global_step",
                trainable=False,
                aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA,
            )
        else:
            self.steps = self.inner.iterations
        if generation.api == "keras3":
            self.steps = self.steps.value
        if self.is_wrapped:
            live = self.optimizer._loss_scale
            self.scale, self.good_steps = live.current_loss_scale, live.good_steps
            left = live.hysteresis_left
            self.loss_scale_state = [self.scale, self.good_steps, *([] if left is None else [left])]

    def step(self, loss: Callable[[], tf.Tensor], variables: Sequence[tf.Variable]) -> Any:
        """Differentiates a loss and applies the gradients, as the generation's guide says."""
        optimizer = self.optimizer
        scaled = self.generation.family == "scaled"
        if self.generation.api == "v1":
            pairs = optimizer.compute_gradients(loss, variables)
            return optimizer.apply_gradients(pairs, global_step=self.steps)
        with tf.GradientTape() as tape:
            value = loss()
            if self.is_wrapped:
                scale = optimizer.scale_loss if scaled else optimizer.get_scaled_loss
                value = scale(value)
        gradients = tape.gradient(value, variables)
        if self.is_wrapped and not scaled:
            gradients = optimizer.get_unscaled_gradients(gradients)
        return self.apply(gradients, variables)

    def apply(self, gradients: Sequence[Any], variables: Sequence[tf.Variable]) -> Any:
        """Applies gradients, as `step` has them."""
        pairs = list(zip(gradients, variables, strict=True))
        if self.generation.api == "v1":
            return self.optimizer.apply_gradients(pairs, global_step=self.steps)
        return self.optimizer.apply_gradients(pairs)

    def skip(self, mode: Mode) -> None:
        """What a skipped step leaves behind, for the inner optimizer alone."""
        if self.generation.counts_skipped_steps:
            self.load(mode, self.steps, mode.value(self.steps) + 1)

    @property
    def all_variables(self) -> list[tf.Variable]:
        """The variables, the slots, and the count of steps; not the loss scale."""
        if self.generation.api == "v1":
            # Its variables() leaves out mirrored ones.
            named = self.inner._slots.values()
            slots = [slot for by_variable in named for slot in by_variable.values()]
            slots += self.inner._non_slot_dict.values()
        elif self.generation.family == "legacy":
            slots = self.inner.weights
        else:
            # With the learning rate set to 0, as `_start_afresh` sets slots, nothing would train.
            slots = [one for one in self.inner.variables if "learning_rate" not in one.name]
        if self.generation.api == "keras3":
            slots = [one.value for one in slots]
        found = [*self.variables.values(), *slots, self.steps]
        return list({id(one): one for one in found}.values())

    def state(self, mode: Mode) -> list[bytes]:
        """The bits of `all_variables`: the variables', and then the others' in sorted order.

        The others have no common order: inside a branch v1's optimizers give them other names.
        """
        variables = self.all_variables
        values = mode.value(variables) if mode.name == "graph" else [v.numpy() for v in variables]
        bits = [np.asarray(value).tobytes() for value in values]
        own = len(self.variables)
        return bits[:own] + sorted(bits[own:])

    @staticmethod
    def load(mode: Mode, variable: tf.Variable, value: Any) -> None:
        """Assigns a value to a variable, in any mode."""
        if mode.name == "graph":
            mode.initialize()
            variable.load(value, mode.session)
        else:
            variable.assign(value)

# SPDX-License-Identifier: Apache-2.0
"""Loops of one's own, on each backend. tf-keras' protocol unscales gradients, Keras 3's does not.

A loss is a function of one callable for each model, and of a batch.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.zoo.examples import BATCH, Example
from tests.zoo.families import Side

Step = Callable[..., Any]


def batches(one: Example, epochs: int = 2) -> Iterator[tuple[Any, Any]]:
    """The batches of an example with one input."""
    for _ in range(epochs):
        for start in range(0, len(one.y), BATCH):
            yield one.x[start : start + BATCH], one.y[start : start + BATCH]


def loss_of(side: Side, one: Example) -> Step:
    """The mean loss of an example's model."""
    function = side.keras.losses.get(one.loss)
    return lambda call, x, y: side.mean(function(y, call(x)))


def run(
    side: Side,
    models: Sequence[Any],
    optimizers: Sequence[Any],
    losses: Sequence[Step],
    data: Iterator[tuple[Any, ...]],
    kind: str,
) -> list[Any]:
    """Trains models in a loop, a step of each in turn.

    Args:
        side: Whose wrapper.
        models: What is trained.
        optimizers: The wrapped optimizer of each model.
        losses: The loss of each.
        data: The batches.
        kind: `eager`; `function`, in `tf.function`; `jit`, compiled by XLA; `accumulated`, a step
            for two halves of a batch; `minimize`; `clipped`, by the global norm.

    Returns:
        The losses.
    """
    steps = []
    for number, (optimizer, loss) in enumerate(zip(optimizers, losses, strict=True)):
        if side.family.is_keras_3:
            optimizer.build(models[number].trainable_variables)
        make = {"tensorflow": tensorflow_step, "jax": _jax_step, "torch": _torch_step}[side.backend]
        step = make(side, models, number, optimizer, loss, kind)
        if side.backend == "tensorflow" and kind != "eager":
            import tensorflow as tf

            step = tf.function(step, jit_compile=kind == "jit" or None)
        steps.append(step)
    return [step(*batch) for batch in data for step in steps]


def _parts(batch: Sequence[Any], kind: str) -> list[Sequence[Any]]:
    """The batches whose gradients are added in a step."""
    half = BATCH // 2
    first, second = [one[:half] for one in batch], [one[half:] for one in batch]
    return [first, second] if kind == "accumulated" else [batch]


def tensorflow_step(
    side: Side, models: Sequence[Any], number: int, optimizer: Any, loss: Step, kind: str
) -> Step:
    """A step with a gradient tape."""
    import tensorflow as tf

    keras_3 = side.family.is_keras_3
    variables = models[number].trainable_variables
    calls = [functools.partial(model, training=True) for model in models]

    def step(*batch: Any) -> Any:
        gradients: list[Any] = []
        for part in _parts(batch, kind):
            with tf.GradientTape() as tape:
                value = scaled = loss(*calls, *part)
                if kind != "minimize":
                    scaled = (optimizer.scale_loss if keras_3 else optimizer.get_scaled_loss)(value)
            if kind == "minimize":
                optimizer.minimize(value, variables, tape=tape)
                return value
            new = tape.gradient(scaled, variables)
            if not keras_3:
                new = optimizer.get_unscaled_gradients(new)
            gradients = [a + b for a, b in zip(gradients, new, strict=True)] if gradients else new
        if kind == "clipped":
            gradients, _ = tf.clip_by_global_norm(gradients, 0.5)
        if keras_3:
            optimizer.apply(gradients, variables)
        else:
            optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return value

    return step


def run_on_replicas(side: Side, strategy: Any, one: Example, optimizer: Any) -> list[Any]:
    """Trains in `strategy.run`, as the tutorial on custom loops does."""
    import tensorflow as tf

    def loss(*both: Any) -> Any:
        return loss_of(side, one)(*both) / strategy.num_replicas_in_sync

    on_replica = tensorflow_step(side, [one.model], 0, optimizer, loss, "function")

    @tf.function
    def step(*batch: Any) -> Any:
        losses = strategy.run(on_replica, batch)
        return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)

    data = tf.data.Dataset.from_tensor_slices((one.x, one.y)).batch(BATCH).repeat(2)
    return [step(*batch) for batch in strategy.experimental_distribute_dataset(data)]


def _torch_step(
    side: Side, models: Sequence[Any], number: int, optimizer: Any, loss: Step, kind: str
) -> Step:
    """A step with `backward`, which adds the gradients of several batches itself."""
    import torch

    variables = models[number].trainable_variables
    calls = [functools.partial(model, training=True) for model in models]

    def step(*batch: Any) -> Any:
        for model in models:
            model.zero_grad()
        for part in _parts(batch, kind):
            value = loss(*calls, *part)
            optimizer.scale_loss(value).backward()
        with torch.no_grad():
            optimizer.apply([one.value.grad for one in variables], variables)
        return value.detach()

    return step


def _scaled_on_jax(optimizer: Any, state: Any, loss: Any) -> Any:
    """Scales a loss as Keras' own trainer does it on JAX."""
    import keras

    with keras.StatelessScope(state_mapping=list(zip(optimizer.variables, state, strict=True))):
        return optimizer.scale_loss(loss)


def _jax_step(
    side: Side, models: Sequence[Any], number: int, optimizer: Any, loss: Step, kind: str
) -> Step:
    """A step on values, as the guide to loops on JAX has it. The variables get them after it."""
    import jax

    def on_values(values: Any, state: Any, batch: Any) -> Any:
        trained, others = values[number]

        def scaled_loss(trained: Any) -> Any:
            after: list[Any] = []

            def call(model: Any, values: Any, x: Any) -> Any:
                if model is not models[number]:
                    return model.stateless_call(*values, x, training=True)[0]
                y, after[:] = model.stateless_call(trained, others, x, training=True)
                return y

            both = zip(models, values, strict=True)
            value = loss(*(functools.partial(call, *one) for one in both), *batch)
            return _scaled_on_jax(optimizer, state, value), (value, after)

        (_, (value, after)), gradients = jax.value_and_grad(scaled_loss, has_aux=True)(trained)
        return value, (*optimizer.stateless_apply(state, gradients, trained), after)

    on_values = jax.jit(on_values) if kind == "jit" else on_values

    def step(*batch: Any) -> Any:
        groups = [(one.trainable_variables, one.non_trainable_variables) for one in models]
        values = [tuple(map(_values, group)) for group in groups]
        value, new = on_values(values, _values(optimizer.variables), batch)
        changed = [groups[number][0], optimizer.variables, groups[number][1]]
        for group, after in zip(changed, new, strict=True):
            for variable, one in zip(group, after, strict=True):
                variable.assign(one)
        return value

    return step


def _values(variables: Sequence[Any]) -> list[Any]:
    return [one.value for one in variables]


def with_own_train_step(side: Side, model: Any) -> Any:
    """A model with the same layers and its own `train_step`, as the guides have it."""

    class Own(side.keras.Model):  # type: ignore[misc]
        train_step = _TRAIN_STEPS[side.backend](side)

    return Own(model.inputs, model.outputs)


def _train_step_on_tensorflow(side: Side) -> Step:
    import tensorflow as tf

    keras_3 = side.family.is_keras_3

    def train_step(self: Any, data: Any) -> Any:
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=y, y_pred=self(x, training=True))
            optimizer = self.optimizer
            scaled = (optimizer.scale_loss if keras_3 else optimizer.get_scaled_loss)(loss)
        gradients = tape.gradient(scaled, self.trainable_variables)
        if not keras_3:
            gradients = optimizer.get_unscaled_gradients(gradients)
        optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        return {"loss": loss}

    return train_step


def _train_step_on_torch(side: Side) -> Step:
    import torch

    def train_step(self: Any, data: Any) -> Any:
        x, y = data
        self.zero_grad()
        loss = self.compute_loss(y=y, y_pred=self(x, training=True))
        self.optimizer.scale_loss(loss).backward()
        gradients = [one.value.grad for one in self.trainable_variables]
        with torch.no_grad():
            self.optimizer.apply(gradients, self.trainable_variables)
        return {"loss": loss.detach()}

    return train_step


def _train_step_on_jax(side: Side) -> Step:
    import jax

    def train_step(self: Any, state: Any, data: Any) -> Any:
        trained, others, optimizer, metrics = state
        x, y = data

        def scaled_loss(trained: Any) -> Any:
            predicted, after = self.stateless_call(trained, others, x, training=True)
            loss = self.compute_loss(x, y, predicted)
            return _scaled_on_jax(self.optimizer, optimizer, loss), (loss, after)

        (_, (loss, after)), gradients = jax.value_and_grad(scaled_loss, has_aux=True)(trained)
        trained, optimizer = self.optimizer.stateless_apply(optimizer, gradients, trained)
        return {"loss": loss}, (trained, after, optimizer, metrics)

    return train_step


_TRAIN_STEPS = {
    "tensorflow": _train_step_on_tensorflow,
    "torch": _train_step_on_torch,
    "jax": _train_step_on_jax,
}

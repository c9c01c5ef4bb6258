# SPDX-License-Identifier: Apache-2.0
"""Ways to train a model, as guides and tutorials have them.

Each takes a `Side` and what makes the model, and returns what it trained. `WAYS` lists them; what
only some families can do names these there. Loops are in `loops.py`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.zoo import loops
from tests.zoo.examples import BATCH, Example
from tests.zoo.families import Family, Side

Make = Callable[[Side], Example]


class Trained(NamedTuple):
    """What a training leaves.

    Attributes:
        before: The models' variables before it.
        models: The models after it.
        optimizers: Their wrapped optimizers.
        numbers: What it reported, such as losses.
    """

    before: list[Any]
    models: list[Any]
    optimizers: list[Any]
    numbers: list[Any]


def values(side: Side, model: Any) -> list[Any]:
    """The values of a model's variables."""
    return [side.family.numpy(one) for one in model.weights]


def built(side: Side, make: Make) -> tuple[Example, list[Any]]:
    """Makes a model with its variables.

    Returns:
        The model with data, and the variables' values.
    """
    one = make(side)
    if not one.model.built:
        one.model(one.x[:1])
    return one, values(side, one.model)


def fit(
    side: Side,
    make: Make,
    *,
    inner: Callable[[Side], Any] | None = None,
    wrap: Mapping[str, Any] | None = None,
    compiling: Mapping[str, Any] | None = None,
    fitting: Mapping[str, Any] | None = None,
) -> Trained:
    """`compile` and `fit`.

    Args:
        side: Whose wrapper.
        make: Makes the model.
        inner: Makes the optimizer that is wrapped.
        wrap: More arguments of the wrapper.
        compiling: More arguments of `compile`.
        fitting: More arguments of `fit`.
    """
    one, before = built(side, make)
    optimizer = side.wrap(inner and inner(side), **wrap or {})
    one.model.compile(optimizer, one.loss, **compiling or {})
    return Trained(before, [one.model], [optimizer], _fitted(one, **fitting or {}))


def _fitted(one: Example, **kwargs: Any) -> list[Any]:
    how = {"batch_size": BATCH, "epochs": 2, "shuffle": False, "verbose": 0, **kwargs}
    history = one.model.fit(one.x, one.y, **how).history
    return [np.asarray(numbers, "float64") for _, numbers in sorted(history.items())]


def train_on_batch(side: Side, make: Make, **compiling: Any) -> Trained:
    one, before = built(side, make)
    optimizer = side.wrap()
    one.model.compile(optimizer, one.loss, **compiling)
    losses = [one.model.train_on_batch(x, y) for x, y in loops.batches(one)]
    return Trained(before, [one.model], [optimizer], losses)


def with_callbacks(side: Side, make: Make) -> Trained:
    """`fit` with what changes the learning rate, the weights or the end of the training."""
    callbacks = side.keras.callbacks
    some = [
        callbacks.LearningRateScheduler(lambda epoch: 0.05 / (epoch + 1)),
        callbacks.ReduceLROnPlateau("loss", patience=0, factor=0.5),
        callbacks.EarlyStopping("loss", patience=1, restore_best_weights=True),
        callbacks.TerminateOnNaN(),
    ]
    return fit(side, make, fitting={"callbacks": some, "epochs": 3})


def weighted(side: Side, make: Make) -> Trained:
    """`fit` with weights of samples, a metric, and validation."""
    one = make(side)
    weights = np.linspace(0.5, 1.5, len(one.y)).astype("float32")
    more = {"sample_weight": weights, "validation_data": (one.x, one.y)}
    return fit(side, make, compiling={"metrics": ["accuracy"]}, fitting=more)


def overflowing(side: Side, make: Make) -> Trained:
    """`fit` where the gradients of the second batch are infinite."""

    def with_infinity(side: Side) -> Example:
        one = make(side)
        one.x[BATCH] = np.inf
        return one

    return fit(side, with_infinity)


def fitted_twice(side: Side, make: Make) -> Trained:
    """`fit` once more, with another learning rate and another number of frozen layers."""
    trained = fit(side, make)
    (model,) = trained.models
    model.layers[0].trainable = False
    optimizer = side.wrap(side.optimizer("Adam"))
    model.compile(optimizer, make(side).loss)
    numbers = _fitted(make(side)._replace(model=model))
    return trained._replace(optimizers=[optimizer], numbers=[*trained.numbers, *numbers])


def cloned(side: Side, make: Make) -> Trained:
    """`clone_model` of a trained model, with an optimizer made from the other's config."""
    first = fit(side, make)
    one = make(side)
    clone = side.keras.models.clone_model(first.models[0])
    clone.set_weights(first.models[0].get_weights())
    (old,) = first.optimizers
    optimizer = type(old).from_config(old.get_config())
    clone.compile(optimizer, one.loss)
    return Trained(first.before, [clone], [optimizer], _fitted(one._replace(model=clone)))


def saved(suffix: str, by_both: bool = True) -> Callable[[Side, Make], Trained]:
    """Saves a trained model to a file, loads it, and goes on.

    Args:
        suffix: The file's.
        by_both: Whether stock does so too; else it goes on without a file.
    """

    def save_and_go_on(side: Side, make: Make) -> Trained:
        first = fit(side, make)
        if not (by_both or side.is_ours):
            numbers = _fitted(make(side)._replace(model=first.models[0]))
            return first._replace(numbers=numbers)
        with tempfile.TemporaryDirectory(prefix="zoo-") as folder:
            path = str(Path(folder, f"model{suffix}"))
            first.models[0].save(path)
            model = side.keras.models.load_model(path)
        numbers = _fitted(make(side)._replace(model=model))
        return Trained(first.before, [model], [model.optimizer], numbers)

    return save_and_go_on


def from_checkpoint(side: Side, make: Make) -> Trained:
    """Saves with `tf.train.Checkpoint`, restores into a new model, and goes on."""
    import tensorflow as tf

    first = fit(side, make)
    one = make(side)
    optimizer = side.wrap()
    one.model.compile(optimizer, one.loss)
    with tempfile.TemporaryDirectory(prefix="zoo-") as folder:
        first_state = tf.train.Checkpoint(model=first.models[0], optimizer=first.optimizers[0])
        path = first_state.save(str(Path(folder, "state")))
        state = tf.train.Checkpoint(model=one.model, optimizer=optimizer).restore(path)
        numbers = _fitted(one)
        state.assert_existing_objects_matched()
    return Trained(first.before, [one.model], [optimizer], numbers)


def mirrored(side: Side, make: Make) -> Trained:
    """`fit` on two processors."""
    from tests.reliability.steps.sides import two_replicas

    with two_replicas().scope():
        one, before = built(side, make)
        optimizer = side.wrap()
        one.model.compile(optimizer, one.loss)
    return Trained(before, [one.model], [optimizer], _fitted(one))


def data_parallel(side: Side, make: Make) -> Trained:
    """`fit` on two processors, on JAX."""
    distribution = side.keras.distribution
    distribution.set_distribution(distribution.DataParallel())
    try:
        return fit(side, make)
    finally:
        distribution.set_distribution(None)


def on_replicas(side: Side, make: Make) -> Trained:
    """A loop with `strategy.run` on two processors."""
    from tests.reliability.steps.sides import two_replicas

    strategy = two_replicas()
    with strategy.scope():
        one, before = built(side, make)
        optimizer = side.wrap()
        if side.family.is_keras_3:
            optimizer.build(one.model.trainable_variables)
    numbers = loops.run_on_replicas(side, strategy, one, optimizer)
    return Trained(before, [one.model], [optimizer], numbers)


def of_dataset(side: Side, make: Make) -> Trained:
    """`fit` on a `tf.data.Dataset` that repeats."""
    import tensorflow as tf

    one, before = built(side, make)
    optimizer = side.wrap()
    one.model.compile(optimizer, one.loss)
    data = tf.data.Dataset.from_tensor_slices((one.x, one.y)).repeat().batch(BATCH)
    one.model.fit(data, steps_per_epoch=3, epochs=2, verbose=0)
    return Trained(before, [one.model], [optimizer], [])


def custom_step(side: Side, make: Make) -> Trained:
    """A model with its own `train_step`, as the guides write it for each backend."""

    def own(side: Side) -> Example:
        one = make(side)
        return one._replace(model=loops.with_own_train_step(side, one.model))

    return fit(side, own)


def loop(kind: str) -> Callable[[Side, Make], Trained]:
    """A loop over batches.

    Args:
        kind: One of those that `loops.run` knows.
    """

    def run(side: Side, make: Make) -> Trained:
        one, before = built(side, make)
        optimizer = side.wrap()
        loss, data = loops.loss_of(side, one), loops.batches(one)
        numbers = loops.run(side, [one.model], [optimizer], [loss], data, kind)
        return Trained(before, [one.model], [optimizer], numbers)

    return run


def gan(side: Side, make: Make) -> Trained:
    """Two models, with an optimizer each: the DCGAN tutorial, smaller. `make` makes neither."""
    k, layers = side.keras, side.layers
    generator = k.Sequential([k.Input([4]), layers.Dense(8, "relu"), side.head(6)])
    critic = k.Sequential([k.Input([6]), layers.Dense(8), layers.LeakyReLU(), side.head(1)])
    before = [*values(side, generator), *values(side, critic)]
    optimizers = [side.wrap(side.optimizer("Adam", beta_1=0.5)) for _ in range(2)]
    rng = np.random.default_rng(2)
    noise, real = rng.normal(size=[BATCH, 4]).astype("f"), rng.normal(size=[BATCH, 6]).astype("f")

    def of_generator(generate: Any, judge: Any, noise: Any, real: Any) -> Any:
        return side.mean((judge(generate(noise)) - 1.0) ** 2)

    def of_critic(generate: Any, judge: Any, noise: Any, real: Any) -> Any:
        return side.mean(judge(generate(noise)) ** 2) + side.mean((judge(real) - 1.0) ** 2)

    numbers = loops.run(
        side,
        [generator, critic],
        optimizers,
        [of_generator, of_critic],
        iter([(noise, real)] * 4),
        {"tensorflow": "function", "jax": "jit", "torch": "eager"}[side.backend],
    )
    return Trained(before, [generator, critic], optimizers, numbers)


class Way(NamedTuple):
    """A way to train.

    Attributes:
        train: Does it.
        families: Parts of the names of families that have it.
    """

    train: Callable[[Side, Make], Trained]
    families: tuple[str, ...] = ("",)

    def has(self, family: Family) -> bool:
        return any(part in family.name for part in self.families)


def compiled(**arguments: Any) -> Callable[[Side, Make], Trained]:
    return lambda side, make: fit(side, make, compiling=arguments)


_TF_KERAS = ("legacy", "new")
_TENSORFLOW = (*_TF_KERAS, "tensorflow")
WAYS: dict[str, Way] = {
    "fit": Way(fit),
    "fit, Adam": Way(lambda side, make: fit(side, make, inner=lambda side: side.optimizer("Adam"))),
    "train_on_batch": Way(train_on_batch),
    "callbacks": Way(with_callbacks),
    "sample_weight, validation": Way(weighted),
    "a batch that overflows": Way(overflowing),
    "fit twice": Way(fitted_twice),
    "Dataset": Way(of_dataset, _TENSORFLOW),
    "jit_compile=True": Way(compiled(jit_compile=True)),
    "jit_compile=False": Way(compiled(jit_compile=False)),
    "jit_compile='auto'": Way(compiled(jit_compile="auto"), ("keras3",)),
    "run_eagerly": Way(compiled(run_eagerly=True)),
    "steps_per_execution": Way(compiled(steps_per_execution=3), (*_TENSORFLOW, "jax")),
    "fixed scale": Way(
        lambda side, make: fit(side, make, wrap={"dynamic": False, "dynamic_growth_steps": None}),
        _TF_KERAS,
    ),
    "gradient_accumulation_steps": Way(
        lambda side, make: fit(
            side, make, inner=lambda side: side.optimizer("Adam", gradient_accumulation_steps=2)
        ),
        ("keras3",),
    ),
    "train_step": Way(custom_step),
    "loop": Way(loop("eager")),
    "loop, tf.function": Way(loop("function"), _TENSORFLOW),
    "loop, tf.function(jit_compile=True)": Way(loop("jit"), _TENSORFLOW),
    "loop, jax.jit": Way(loop("jit"), ("jax",)),
    "loop, gradients accumulated": Way(loop("accumulated"), (*_TENSORFLOW, "torch")),
    "loop, minimize": Way(loop("minimize"), _TF_KERAS),
    "loop, clipped by global norm": Way(loop("clipped"), _TF_KERAS),
    "loop, strategy.run": Way(on_replicas, _TENSORFLOW),
    "GAN": Way(gan),
    "Mirrored": Way(mirrored, _TENSORFLOW),
    "DataParallel": Way(data_parallel, ("jax",)),
    "clone_model": Way(cloned),
    "save, .keras": Way(saved(".keras")),
    "save, .h5": Way(saved(".h5")),
    "save, SavedModel": Way(saved(""), _TF_KERAS),
    "save, .keras; stock without a file": Way(saved(".keras", by_both=False)),
    "save, .h5; stock without a file": Way(saved(".h5", by_both=False)),
    "tf.train.Checkpoint": Way(from_checkpoint, _TENSORFLOW),
}

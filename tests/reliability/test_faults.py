# SPDX-License-Identifier: Apache-2.0
"""Faults in training: each generation, in each way of running. `faults` has the long mode."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tf_keras

from compat_lossscale import DynamicLossScale
from tests.reliability.faults import EPISODE, MODES, Twins, mode_of
from tests.reliability.generations import GENERATIONS, Generation, Training
from tests.support import INF, NAN, Mode

MODES_OF = [
    pytest.param(generation, mode, id=f"{generation.name}-{mode}")
    for generation in GENERATIONS
    for mode in MODES
    if generation.runs_in(mode)
]
KERAS = [generation for generation in GENERATIONS if generation.is_of_tf_keras]
each_generation = pytest.mark.parametrize("generation", GENERATIONS, ids=lambda one: one.name)
each_keras_generation = pytest.mark.parametrize("generation", KERAS, ids=lambda one: one.name)


@pytest.mark.sampled(7)
@pytest.mark.parametrize(("generation", "mode_name"), MODES_OF)
def test_random_faults_leave_what_the_good_steps_alone_leave(
    generation: Generation, mode_name: str
) -> None:
    episodes = range(8 if os.environ.get("ALL_CASES") else 5)
    with mode_of(mode_name) as mode:
        counts = Twins(generation, mode, "float16", "adam").run(episodes)
    assert sum(counts.values()) == len(episodes) * EPISODE
    assert set(counts) == {"good", "non-finite", "overflow"}


@each_generation
def test_a_scaled_loss_that_overflows_is_applied_if_its_gradients_are_finite(
    generation: Generation,
) -> None:
    training = Training(generation, "momentum", {"v": [100.0]}, DynamicLossScale(2.0**12, 2))
    (v,) = training.variables.values()

    def loss() -> tf.Tensor:
        return tf.reduce_sum(tf.cast(v, tf.float16))  # 100 * 2 ** 12 is infinite in float16

    training.step(loss, [v])
    assert v == 99.75
    assert (training.steps, training.scale, training.good_steps) == (1, 2.0**12, 1)


@each_generation
def test_a_scale_beyond_float16_comes_down_until_gradients_are_finite(
    generation: Generation,
) -> None:
    training = Training(generation, "momentum", {"v": [1.0]}, DynamicLossScale(2.0**18, 100))
    (v,) = training.variables.values()
    scales = []
    while v == 1.0:
        training.step(lambda: tf.reduce_sum(tf.cast(v, tf.float16)), [v])
        scales.append(float(training.scale))
    assert scales == [2.0**17, 2.0**16, 2.0**15, 2.0**15]


@each_generation
def test_no_gradient_at_all_is_refused_and_changes_nothing(generation: Generation) -> None:
    training = Training(generation, "momentum", {"v": [1.0]}, DynamicLossScale(8, 2))
    (v,) = training.variables.values()
    mode = Mode("eager")
    before = training.state(mode)[0]
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        training.step(lambda: tf.constant(1.0), [v])
    assert training.state(mode)[0] == before
    assert (training.steps, training.scale) == (0, 8)


@each_keras_generation
def test_an_empty_list_counts_as_a_good_step_of_the_scale(generation: Generation) -> None:
    training = Training(generation, "momentum", {"v": [1.0]}, DynamicLossScale(8, 2))
    training.optimizer.apply_gradients([])
    assert (training.steps, training.scale, training.good_steps) == (0, 8, 1)
    training.optimizer.apply_gradients([])
    assert (training.steps, training.scale, training.good_steps) == (0, 16, 0)


@each_generation
@pytest.mark.sampled(7)
@pytest.mark.parametrize("mode_name", ["eager", "function"])
def test_the_variables_may_change_from_step_to_step(generation: Generation, mode_name: str) -> None:
    chance = np.random.default_rng(0)
    values = {"a": [1.0], "b": [2.0, 3.0], "c": [[4.0]]}
    mode = Mode(mode_name)
    with mode_of("eager"):
        wrapped = Training(generation, "adam", values, DynamicLossScale(2.0**10, 2))
        bare = Training(generation, "adam", values)
        names: tuple[str, ...] = ("c", "a", "b")
        for _ in range(12 if os.environ.get("ALL_CASES") else 8):
            bad = chance.random() < 0.3
            for training in (wrapped, bare):
                variables = [training.variables[name] for name in names]

                def step(factor: Any, variables: Any = variables, training: Any = training) -> Any:
                    return training.step(
                        lambda: factor * tf.add_n([tf.reduce_sum(v * v) for v in variables]),
                        variables,
                    )

                if training is bare and bad:
                    training.skip(mode)
                else:
                    mode.compile(step, tf.TensorSpec([], tf.float32))(NAN if bad else 1.0)
            assert wrapped.state(mode) == bare.state(mode)
            names = tuple(chance.permutation(["a", "b", "c"])[: chance.integers(1, 4)])


@each_generation
def test_an_optimizer_restored_mid_run_goes_on_as_it_did(
    generation: Generation, tmp_path: Path
) -> None:
    factors = [1.0, NAN, 2.0, INF, 1.0, 0.5, -INF, 1.0, 1.0, 1.0]

    def fresh() -> tuple[Training, tf.train.Checkpoint]:
        training = Training(generation, "adam", {"v": [1.0, 2.0]}, DynamicLossScale(2.0**10, 2))
        return training, tf.train.Checkpoint(
            v=training.variables["v"], optimizer=training.optimizer, steps=training.steps
        )

    def train(training: Training, factors: list[float]) -> list[Any]:
        (v,) = training.variables.values()
        path = []
        for factor in factors:
            training.step(lambda factor=factor: factor * tf.reduce_sum(v * v), [v])
            path.append((training.state(Mode("eager")), float(training.scale)))
        return path

    first, checkpoint = fresh()
    train(first, factors[:4])
    saved = checkpoint.write(str(tmp_path / "checkpoint"))
    expected = train(first, factors[4:])
    restored, new_checkpoint = fresh()
    new_checkpoint.read(saved)
    assert train(restored, factors[4:]) == expected
    checkpoint.read(saved).assert_consumed()  # the first one, back in time
    assert train(first, factors[4:]) == expected


@each_keras_generation
@pytest.mark.sampled(4)
@pytest.mark.parametrize("how", ["eager", "function", "jit"])
def test_fit_skips_bad_batches_only(generation: Generation, how: str) -> None:
    chance = np.random.default_rng(1)
    inputs = chance.integers(-8, 9, (24, 4, 3)).astype(np.float32)
    bad = chance.random(24) < 0.3
    for batch in np.flatnonzero(bad):
        inputs[batch].flat[chance.integers(12)] = chance.choice([NAN, INF, -INF])
    targets = chance.normal(size=(24, 4, 1)).astype(np.float32)

    def model(optimizer: Any) -> Any:
        made = tf_keras.Sequential([tf_keras.layers.Dense(1, kernel_initializer="ones")])
        made.build((None, 3))
        options = {"eager": {"run_eagerly": True}, "jit": {"jit_compile": True}}.get(how, {})
        made.compile(optimizer, "mse", **options)
        return made

    loss_scale = DynamicLossScale(2.0**10, 3)
    wrapped_optimizer = generation.wrap(generation.inner("adam"), loss_scale)
    wrapped, bare = model(wrapped_optimizer), model(generation.inner("adam"))
    data = tf.data.Dataset.from_tensor_slices((inputs, targets))
    wrapped.fit(data, epochs=2, verbose=0)
    for batch in [*range(24), *range(24)]:
        if bad[batch]:
            bare.optimizer.iterations.assign_add(1)
        else:
            bare.train_on_batch(inputs[batch], targets[batch])
    assert wrapped_optimizer.iterations == bare.optimizer.iterations == 48
    for ours, theirs in zip(wrapped.get_weights(), bare.get_weights(), strict=True):
        # XLA compiles another function for another optimizer, and rounds in another order.
        np.testing.assert_allclose(ours, theirs, rtol=1e-5 if how == "jit" else 0)
    assert 0 < bad.sum() < 24

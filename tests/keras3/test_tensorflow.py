# SPDX-License-Identifier: Apache-2.0
"""Tests of what is TensorFlow's own: replicas, sparse gradients, checkpoints, tf-keras."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras

import compat_lossscale
from compat_lossscale.errors import LossScaleMisuseWarning
from compat_lossscale.keras3 import LossScaleOptimizer, private
from tests.keras3.stepping import take_step, tensors_of, values_in, variables_of
from tests.keras3.test_private import WithoutPrivateNames
from tests.support import INF, NAN

Stock = keras.optimizers.LossScaleOptimizer


@pytest.mark.parametrize("bad", [NAN, INF])
def test_no_replica_applies_a_step_that_is_bad_on_one(mirrored: Any, bad: float) -> None:
    with mirrored.scope():
        variable = keras.Variable([1.0])
        optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0), initial_scale=8.0)
        optimizer.build([variable])

    @tf.function
    def step(gradients: Any) -> None:
        def on_replica() -> None:
            place = tf.distribute.get_replica_context().replica_id_in_sync_group
            optimizer.scale_loss(tf.constant(1.0))
            optimizer.apply([gradients[place]], [variable])

        mirrored.run(on_replica)

    step(tf.constant([[8.0], [bad]]))
    assert np.asarray(variable).tolist() == [1.0]
    assert (float(optimizer.loss_scale), int(optimizer.skipped_steps)) == (4.0, 1)
    step(tf.constant([[4.0], [8.0]]))
    assert np.asarray(variable).tolist() == [-2.0]
    assert int(optimizer.iterations.numpy()) == 1
    copies = mirrored.experimental_local_results(variable.value)
    assert [one.numpy().tolist() for one in copies] == [[-2.0]] * 2


@pytest.mark.parametrize("compiled", [False, True])
def test_on_one_device_it_trains_as_without_a_strategy(compiled: bool) -> None:
    found = []
    for strategy in (tf.distribute.get_strategy(), tf.distribute.OneDeviceStrategy("CPU:0")):
        with strategy.scope():
            variable = keras.Variable([1.0])
            optimizer = LossScaleOptimizer(keras.optimizers.Adam(0.5), initial_scale=8.0)
            optimizer.build([variable])

        def on_replica(gradient: Any, optimizer: Any = optimizer, variable: Any = variable) -> None:
            optimizer.scale_loss(tf.constant(1.0))
            optimizer.apply([gradient], [variable])

        def step(gradient: Any, strategy: Any = strategy, on_replica: Any = on_replica) -> None:
            strategy.run(on_replica, (gradient,))

        take = tf.function(step, autograph=False) if compiled else step
        for gradient in ([8.0], [NAN], [4.0]):
            take(tf.constant(gradient))
        found.append([one.tolist() for one in values_in([variable, *optimizer.variables])])
        assert int(optimizer.skipped_steps) == 1
    assert found[0] == found[1]


def test_apply_belongs_into_a_replica_context(mirrored: Any) -> None:
    with mirrored.scope():
        variable = keras.Variable([1.0])
        optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0))
        optimizer.build([variable])
        with pytest.raises(ValueError, match="replica context"):
            optimizer.apply(tensors_of([1.0]), [variable])


def test_gradients_are_always_summed_over_the_replicas_and_it_is_said() -> None:
    (variable,) = variables_of([1.0])
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0))
    pairs = [(tf.constant([1.0]), variable)]
    for options in (
        {"experimental_aggregate_gradients": False},
        {"skip_gradients_aggregation": True},
    ):
        with pytest.raises(ValueError, match="sums gradients over the replicas"):
            optimizer.apply_gradients(pairs, **options)
    optimizer.apply_gradients(pairs, name="step", experimental_aggregate_gradients=True)


def test_the_first_step_may_be_traced_before_anything_is_built() -> None:
    variables = variables_of([1.0])
    optimizer = LossScaleOptimizer(keras.optimizers.Adam(1.0), initial_scale=8.0)

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = optimizer.scale_loss(tf.reduce_sum(variables[0] * x))
        optimizer.apply(tape.gradient(loss, [variables[0].value]), variables)
        return loss

    scales = [float(step(tf.constant([x]))) for x in (NAN, 0.0, 1.0)]
    assert np.isnan(scales[0])
    assert scales[2] == 4.0 * float(variables[0][0] + 1.0) or scales[2] == 4.0
    assert float(optimizer.dynamic_scale) == 4.0
    assert step.experimental_get_tracing_count() <= 2


def test_without_any_call_apply_takes_scaled_gradients_and_apply_gradients_unscaled_ones() -> None:
    for apply, expected in (
        (lambda opt, g, v: opt.apply(g, v), -1.0),
        (lambda opt, g, v: opt.apply_gradients(zip(g, v, strict=True)), -4.0),
    ):
        variables = variables_of([0.0])
        optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0), initial_scale=4)
        with pytest.warns(LossScaleMisuseWarning, match="You forgot to call"):
            apply(optimizer, tensors_of([4.0]), variables)
        assert values_in(variables)[0].tolist() == [expected]
        with warnings.catch_warnings():
            warnings.simplefilter("error", LossScaleMisuseWarning)
            apply(optimizer, tensors_of([4.0]), variables)  # once is enough


def test_a_users_function_is_traced_without_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    variable = keras.Variable([1.0])
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0), initial_scale=8.0)

    @tf.function
    def step() -> None:
        with tf.GradientTape() as tape:
            scaled_loss = optimizer.get_scaled_loss(variable * 2.0)
        gradients = optimizer.get_unscaled_gradients(tape.gradient(scaled_loss, [variable.value]))
        optimizer.apply_gradients(zip(gradients, [variable], strict=True))

    tf.get_logger().propagate = True
    try:
        step()
    finally:
        tf.get_logger().propagate = False
    assert np.asarray(variable).tolist() == [-1.0]
    assert [record.message for record in caplog.records] == []


def test_sparse_gradients_stay_sparse() -> None:
    (table,) = variables_of(np.zeros((4, 2)))
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0), initial_scale=4.0)
    slices = tf.IndexedSlices(tf.constant([[4.0, 8.0]]), tf.constant([2]), tf.constant([4, 2]))
    optimizer.build([table])
    (unscaled,) = optimizer.get_unscaled_gradients([slices])
    assert isinstance(unscaled, tf.IndexedSlices)
    optimizer.apply_gradients([(unscaled, table)])
    assert np.asarray(table).tolist() == [[0, 0], [0, 0], [-1, -2], [0, 0]]
    bad = tf.IndexedSlices(tf.constant([[NAN, 8.0]]), tf.constant([2]), tf.constant([4, 2]))
    optimizer.get_unscaled_gradients([])
    optimizer.apply_gradients([(bad, table)])
    assert np.asarray(table).tolist() == [[0, 0], [0, 0], [-1, -2], [0, 0]]


@pytest.mark.parametrize("devices", [["CPU:0"], ["CPU:0", "CPU:1"]], ids=["one", "two"])
def test_an_embedding_trains_as_in_tf_keras(devices: list[str]) -> None:
    words = np.random.RandomState(0).randint(0, 7, (32, 6))
    wanted = np.random.RandomState(1).rand(32, 6, 3).astype("float32")
    start = [np.random.RandomState(2).rand(*shape) for shape in ((7, 4), (4, 3), (3,))]
    ours = LossScaleOptimizer(keras.optimizers.Adam(0.01))
    theirs = tf_keras.mixed_precision.LossScaleOptimizer(tf_keras.optimizers.Adam(0.01))
    trained = []
    for library, optimizer in ((keras, ours), (tf_keras, theirs)):
        # Without collective operations, which a second strategy of a process would number alike.
        reduce = tf.distribute.ReductionToOneDevice()
        with tf.distribute.MirroredStrategy(devices, cross_device_ops=reduce).scope():
            layers = [library.layers.Embedding(7, 4), library.layers.Dense(3)]
            model = library.Sequential(layers)
            model.build((None, 6))
            model.set_weights(start)
            model.compile(type(optimizer).from_config(optimizer.get_config()), "mse")
        model.fit(words, wanted, batch_size=16, epochs=2, shuffle=False, verbose=0)
        trained.append(model.get_weights())
    for one, other in zip(*trained, strict=True):
        # They differ by 4e-6 with Keras 3.6 and TensorFlow 2.18.
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-5)


def test_a_checkpoint_has_the_names_of_keras_own_and_each_restores_the_other(
    tmp_path: Path,
) -> None:
    names, paths = [], []
    for number, cls in enumerate((LossScaleOptimizer, Stock)):
        variables = variables_of([1.0, 2.0])
        optimizer = cls(keras.optimizers.Adam(0.5), initial_scale=4.0)
        for gradient in (1.0, NAN, 2.0):
            take_step(optimizer, tensors_of([gradient, gradient]), variables)
        paths.append(tf.train.Checkpoint(opt=optimizer).save(str(tmp_path / f"{number}")))
        names.append([name for name, _ in tf.train.list_variables(paths[-1])])
    assert names[0] == names[1]
    for cls, path in zip((Stock, LossScaleOptimizer), paths, strict=True):
        optimizer = cls(keras.optimizers.Adam(0.5), initial_scale=64.0)
        optimizer.build(variables_of([1.0, 2.0]))
        tf.train.Checkpoint(opt=optimizer).restore(path).assert_existing_objects_matched()
        assert (float(optimizer.dynamic_scale), int(optimizer.step_counter)) == (2.0, 1)


@pytest.mark.parametrize("unscaled", [False, True], ids=["keras3", "tf2.4"])
@pytest.mark.parametrize(("initial", "rounds_alike"), [(16.0, True), (24.0, False)])
@pytest.mark.parametrize("seed", range(3))
def test_state_and_results_are_those_of_tf_keras(
    unscaled: bool, seed: int, initial: float, rounds_alike: bool
) -> None:
    """A quotient, and tf-keras' product with the reciprocal, are equal for powers of 2."""
    random = np.random.default_rng(seed)
    values = [random.normal(size=(3, 2)).astype("float32"), np.float32(1.0)]
    ours = [keras.Variable(one) for one in values]
    theirs = [tf.Variable(one) for one in values]
    keras_3 = LossScaleOptimizer(
        keras.optimizers.SGD(0.1, momentum=0.5),
        initial_scale=initial,
        dynamic_growth_steps=2,
        count_skipped_steps=True,
    )
    stock = tf_keras.mixed_precision.LossScaleOptimizer(
        tf_keras.optimizers.SGD(0.1, momentum=0.5), initial_scale=initial, dynamic_growth_steps=2
    )
    for _ in range(20):
        gradients = [random.normal(size=one.shape).astype("float32") for one in values]
        if random.random() < 0.4:
            gradients[1] = np.float32(random.choice([NAN, INF, -INF]))
        take_step(keras_3, tensors_of(*gradients), ours, unscaled)
        tensors = stock.get_unscaled_gradients(tensors_of(*gradients))
        stock.apply_gradients(zip(tensors, theirs, strict=True))
        for one, other in zip(ours, theirs, strict=True):
            tolerance = 0.0 if rounds_alike else 1e-6
            np.testing.assert_allclose(
                np.asarray(one), other.numpy(), rtol=tolerance, atol=tolerance
            )
        assert float(keras_3.dynamic_scale) == float(stock.loss_scale)
        assert int(keras_3.step_counter) == int(stock.dynamic_counter)
        assert int(keras_3.iterations) == int(stock.iterations)


def test_skipped_steps_are_counted() -> None:
    variables = variables_of([1.0])
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0), initial_scale=64.0)
    counted = []
    for gradient in (1.0, NAN, NAN, 1.0):
        take_step(optimizer, tensors_of([gradient]), variables)
        counted.append((int(optimizer.skipped_steps), bool(optimizer.last_step_skipped)))
    assert counted == [(0, False), (1, True), (2, True), (2, False)]


def test_a_class_with_a_step_of_its_own_takes_that_step() -> None:
    class Halving(keras.optimizers.SGD):
        def apply_gradients(self, grads_and_vars: Any, **options: Any) -> Any:
            return super().apply_gradients([(g / 2, v) for g, v in grads_and_vars], **options)

    variables = variables_of([1.0])
    optimizer = LossScaleOptimizer(Halving(0.5), initial_scale=64.0)
    take_step(optimizer, tensors_of([64.0]), variables)
    take_step(optimizer, tensors_of([NAN]), variables)
    assert np.asarray(variables[0]).tolist() == [0.75]


def test_stateless_apply_is_keras_own_error_here() -> None:
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0))
    with pytest.raises(ValueError, match="TensorFlow"):
        optimizer.stateless_apply([], [], [])


def test_the_package_names_it_and_needs_no_tf_keras() -> None:
    assert compat_lossscale.keras3.LossScaleOptimizer is LossScaleOptimizer


def test_what_is_tracked_is_in_checkpoints_without_the_private_name(tmp_path: Path) -> None:
    for hide in (lambda one: one, WithoutPrivateNames):
        optimizer = keras.optimizers.SGD(0.5)
        private.track(hide(optimizer), tf.Variable(3.0), "loss_scale")
        saved = tf.train.Checkpoint(optimizer=optimizer).write(str(tmp_path / "checkpoint"))
        names = [name for name, _ in tf.train.list_variables(saved)]
        assert "optimizer/loss_scale/.ATTRIBUTES/VARIABLE_VALUE" in names


def test_in_a_function_gradients_are_divided_where_keras_divides_them() -> None:
    # TensorFlow's graph optimizer folds constants otherwise in another place: a last bit moves.
    def places(cls: Any) -> list[str]:
        variables = [keras.Variable([1.0, 2.0]), keras.Variable([[3.0]])]
        optimizer = cls(keras.optimizers.SGD(0.1))
        optimizer.build(variables)
        step = tf.function(lambda *gradients: optimizer.apply(list(gradients), variables))
        graph = step.get_concrete_function(*(tf.ones(one.shape) for one in variables)).graph
        divided = [
            (name, len(one.inputs[0].shape))
            for name, each in {"step": graph, **_branches(graph)}.items()
            for one in each.get_operations()
            if one.type == "RealDiv"
        ]
        return sorted(name for name, rank in divided if rank)

    assert places(LossScaleOptimizer) == places(Stock) == ["then", "then"]


def _branches(graph: Any) -> dict[str, Any]:
    """The branches that a step takes."""
    found = {}
    for one in graph.get_operations():
        if one.type in ("If", "StatelessIf"):
            for name in ("then", "else"):
                function = one.get_attr(f"{name}_branch").name
                found[name] = graph._get_function(function).graph
    return found

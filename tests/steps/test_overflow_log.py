# SPDX-License-Identifier: Apache-2.0
"""The record of gradients that are not finite, which an optimizer keeps if it is asked to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tf_keras

import compat_lossscale
from compat_lossscale import errors, v1
from compat_lossscale.steps.overflow import NonFiniteGradient, Overflow, layer_of, names_of
from tests.support import INF, NAN, Family

GOOD = ([1.0, 2.0], [3.0, 4.0, 5.0, 6.0])
BAD = ([1.0, NAN], [3.0, INF, NAN, 6.0])
FIRST, SECOND = NonFiniteGradient("b", 2, 4), NonFiniteGradient("a", 1, 2)


def trained(optimizer: Any) -> tuple[Any, Any]:
    """Two variables, and a function that applies gradients to them."""
    variables = [tf.Variable(np.ones(2, "f"), name="a"), tf.Variable(np.ones(4, "f"), name="b")]

    def apply(a: Any, b: Any) -> None:
        gradients = optimizer.get_unscaled_gradients([a * 8.0, b * 8.0])
        optimizer.apply_gradients(zip(gradients, variables, strict=True))

    return variables, apply


def wrapped(family: Family) -> Any:
    return compat_lossscale.LossScaleOptimizer(family.sgd(1.0), initial_scale=8.0)


def compiled(apply: Any, mode: str) -> Any:
    if mode == "eager":
        return lambda a, b: apply(tf.constant(a), tf.constant(b))
    specs = [tf.TensorSpec([2]), tf.TensorSpec([4])]
    return tf.function(apply, input_signature=specs, jit_compile=mode == "jit" or None)


@pytest.mark.parametrize("mode", ["eager", "function", "jit"])
def test_the_first_skipped_step_since_the_last_reading_is_noted(family: Family, mode: str) -> None:
    optimizer = wrapped(family)
    assert optimizer._record_overflows()
    assert not optimizer._record_overflows()
    _, apply = trained(optimizer)
    step = compiled(apply, mode)
    step(*GOOD)
    assert optimizer._take_overflows() == []
    step(*BAD)
    step([INF, INF], GOOD[1])
    step(*GOOD)
    assert optimizer._take_overflows() == [Overflow(2, (FIRST, SECOND), 2, "b", 2)]
    assert optimizer._take_overflows() == []
    step([INF, INF], GOOD[1])
    assert optimizer._take_overflows() == [Overflow(5, (NonFiniteGradient("a", 2, 2),), 2, "b")]


def test_without_asking_there_is_no_operation_and_no_variable(family: Family) -> None:
    found = []
    for asks in (False, True):
        optimizer = wrapped(family)
        if asks:
            optimizer._record_overflows()
        _, apply = trained(optimizer)
        concrete = compiled(apply, "function").get_concrete_function()
        definition = concrete.graph.as_graph_def()
        nodes = [node for one in definition.library.function for node in one.node_def]
        found.append((len(concrete.variables), sum(node.op == "Sum" for node in nodes)))
    without, asked = found
    assert asked[0] == without[0] + 1
    assert without[1] == 0 < asked[1]


def test_a_step_that_is_applied_computes_the_same_and_counts_nothing(family: Family) -> None:
    optimizer = wrapped(family)
    optimizer._record_overflows()
    variables, apply = trained(optimizer)
    concrete = compiled(apply, "function").get_concrete_function()
    main = [node.op for node in concrete.graph.as_graph_def().node]
    assert "Sum" not in main  # what counts is in the branch that skips
    concrete(tf.constant(GOOD[0]), tf.constant(GOOD[1]))
    assert variables[0].numpy().tolist() == [0.0, -1.0]
    (notes,) = optimizer._overflow_log.notes.values()
    assert not notes.numpy().any()


def test_sparse_gradients_count_the_rows_that_they_have(family: Family) -> None:
    optimizer = wrapped(family)
    optimizer._record_overflows()
    table = tf.Variable(np.ones((5, 2), "f"), name="model/table/embeddings")
    bad = tf.IndexedSlices(tf.constant([[NAN, 1.0]]), tf.constant([3]), tf.constant([5, 2]))
    optimizer.apply_gradients([(bad, table)])
    (found,) = optimizer._take_overflows()
    assert found.gradients == (NonFiniteGradient("model/table/embeddings", 1, 2),)


def test_replicas_are_counted_together(mirrored: Any, family: Family) -> None:
    with mirrored.scope():
        optimizer = wrapped(family)
        variable = tf.Variable([1.0, 1.0], name="a")
    optimizer._record_overflows()

    @tf.function
    def step(values: Any) -> None:
        def on_replica() -> None:
            here = tf.distribute.get_replica_context().replica_id_in_sync_group
            optimizer.apply_gradients([(values[here], variable)])

        mirrored.run(on_replica)

    step(tf.constant([[1.0, 2.0], [NAN, 1.0]]))
    (found,) = optimizer._take_overflows()
    # tf-keras sums gradients first, so each of the two replicas has the sum.
    assert found.gradients == (NonFiniteGradient("a", 2, 4),)
    assert found.gradients[0].share == 0.5


def test_an_optimizer_of_tensorflow_1_records_too() -> None:
    optimizer = v1.MixedPrecisionLossScaleOptimizer(
        tf.compat.v1.train.GradientDescentOptimizer(1.0), compat_lossscale.DynamicLossScale(8)
    )
    optimizer._record_overflows()
    variable = tf.Variable([1.0], name="a")
    optimizer.apply_gradients([(tf.constant([INF]), variable)])
    (found,) = optimizer._take_overflows()
    assert found.first == NonFiniteGradient("a", 1, 1)


def test_a_graph_of_tensorflow_1_is_refused() -> None:
    with tf.Graph().as_default():
        optimizer = wrapped(Family("legacy"))
        with pytest.raises(errors.NotCountedError, match="not in a graph of TensorFlow 1"):
            optimizer._record_overflows()


def test_two_sets_of_variables_have_a_record_each(family: Family) -> None:
    optimizer = wrapped(family)
    optimizer._record_overflows()
    first, second = tf.Variable([1.0], name="first"), tf.Variable([1.0], name="second")
    optimizer._optimizer.build([first, second]) if family.name == "new" else None
    for variable in (second, first):
        optimizer.apply_gradients([(tf.constant([NAN]), variable)])
    found = optimizer._take_overflows()
    assert [(one.step, one.first.variable) for one in found] == [(1, "second"), (2, "first")]


def test_what_was_asked_to_record_can_be_exported(family: Family, tmp_path: Any) -> None:
    optimizer = wrapped(family)
    optimizer._record_overflows()
    module = tf.Module()
    module.variables_, apply = trained(optimizer)
    module.optimizer = optimizer
    module.step = compiled(apply, "function")
    module.step(*GOOD)
    tf.saved_model.save(module, str(tmp_path))
    assert tf.saved_model.load(str(tmp_path)).step is not None


def test_checkpoints_do_not_have_it(family: Family) -> None:
    children = []
    for asks in (False, True):
        optimizer = wrapped(family)
        if asks:
            optimizer._record_overflows()
        _, apply = trained(optimizer)
        compiled(apply, "eager")(*BAD)
        children.append(set(optimizer._trackable_children()))
    assert children[0] == children[1]


# --- Where it began -------------------------------------------------------------------------------


def half_precision_model() -> Any:
    """Three layers in float16, each of which makes the gradient 32 times as large on its way."""
    layers = [
        tf_keras.layers.Dense(8, kernel_initializer=tf_keras.initializers.Constant(4.0), name=name)
        for name in ("one", "two", "three")
    ]
    return tf_keras.Sequential([tf_keras.Input((8,)), *layers])


@pytest.mark.parametrize(
    ("scale", "began", "of_the_last"),
    # The gradient of a layer's output may be 65504: scale, 32 * scale, 1024 * scale.
    [(2.0**8, "one/bias", False), (2.0**12, "two/bias", False), (2.0**17, "three/bias", True)],
)
def test_an_overflow_in_float16_is_listed_at_the_layer_where_it_began(
    scale: float, began: str, of_the_last: bool
) -> None:
    tf_keras.mixed_precision.set_global_policy("mixed_float16")
    model = half_precision_model()
    optimizer = compat_lossscale.LossScaleOptimizer(
        tf_keras.optimizers.SGD(0.0), initial_scale=scale
    )
    optimizer._record_overflows()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.cast(model(np.full((1, 8), 1e-5, "f")), tf.float32))
        loss = optimizer.get_scaled_loss(loss)
    variables = model.trainable_variables
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(
        zip(optimizer.get_unscaled_gradients(gradients), variables, strict=True)
    )
    (found,) = optimizer._take_overflows()
    assert found.first is not None
    assert found.first.variable == began
    assert found.began_at_the_end == of_the_last


def test_names_are_those_of_keras_and_each_its_own() -> None:
    variables = [tf.Variable(1.0, name=name) for name in ("dense/kernel", "w", "w")]
    assert names_of(variables) == ("dense/kernel", "w (variable 2)", "w (variable 3)")
    assert (layer_of("dense/kernel"), layer_of("w")) == ("dense", "w")


def test_an_overflow_tells_itself_in_a_line() -> None:
    found = Overflow(7, (FIRST, SECOND), 3, "c")
    assert str(found) == "step 7: b first, 50.00% of its elements; 2 of 3 gradients"
    assert str(Overflow(7, (), 3, "c")) == "step 7: all gradients are finite on this worker"

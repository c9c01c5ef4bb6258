# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from compat_lossscale.core import FixedLossScale, all_finite, scale_loss, unscale_gradients, unzip
from compat_lossscale.core.gradients import _traced_finite_by_mean
from tests.support import INF, NAN, Mode, scalar_spec


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_a_loss_is_scaled_in_its_own_dtype(mode: Mode, dtype: str) -> None:
    loss_scale = FixedLossScale(8)
    run = mode.compile(lambda loss: scale_loss(tf.cast(loss, dtype), loss_scale), scalar_spec())
    assert run(1.5) == 12.0
    assert scale_loss(tf.constant(1.0, dtype), loss_scale).dtype.name == dtype


def test_a_loss_can_have_any_shape(mode: Mode) -> None:
    run = mode.compile(
        lambda loss: scale_loss(loss, FixedLossScale(2)), tf.TensorSpec([2, 2], tf.float32)
    )
    np.testing.assert_array_equal(run([[1, 2], [3, 4]]), [[2, 4], [6, 8]])


def test_a_ragged_and_a_sparse_loss_stay_what_they_are(mode: Mode) -> None:
    def scale(value: tf.Tensor) -> Any:
        values = tf.stack([value, 2.0, 3.0])
        ragged = tf.RaggedTensor.from_row_splits(values, [0, 1, 3])
        sparse = tf.SparseTensor([[0], [2], [4]], values, [5])
        loss_scale = FixedLossScale(2)
        scaled = scale_loss(ragged, loss_scale), scale_loss(sparse, loss_scale)
        assert isinstance(scaled[0], tf.RaggedTensor)
        return scaled[0].flat_values, scaled[0].row_splits, tf.sparse.to_dense(scaled[1])

    flat_values, row_splits, dense = mode.compile(scale, scalar_spec())(1.0)
    assert list(flat_values) == [2.0, 4.0, 6.0]
    assert list(row_splits) == [0, 1, 3]
    assert list(dense) == [2.0, 0.0, 4.0, 0.0, 6.0]


def test_gradients_are_divided_and_none_stays_none(mode: Mode) -> None:
    def unscale(gradient: tf.Tensor) -> Any:
        gradients = unscale_gradients([gradient, None, gradient * 2], tf.constant(4.0))
        assert gradients[1] is None
        return gradients[0], gradients[2]

    assert mode.compile(unscale, scalar_spec())(8.0) == (2.0, 4.0)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_an_unscaled_gradient_keeps_its_dtype(dtype: str) -> None:
    (gradient,) = unscale_gradients([tf.constant([8.0], dtype)], tf.constant(4.0))
    assert gradient.dtype.name == dtype
    assert float(gradient[0]) == 2.0


def test_sparse_gradients_stay_sparse(mode: Mode) -> None:
    def unscale(value: tf.Tensor) -> Any:
        sparse = tf.IndexedSlices(
            tf.stack([[value, 2.0], [8.0, 5.0]]), tf.constant([1, 3]), tf.constant([5, 2])
        )
        (gradient,) = unscale_gradients([sparse], tf.constant(2.0))
        assert isinstance(gradient, tf.IndexedSlices)
        return gradient.values, gradient.indices, gradient.dense_shape

    values, indices, dense_shape = mode.compile(unscale, scalar_spec())(4.0)
    np.testing.assert_array_equal(values, [[2.0, 1.0], [4.0, 2.5]])
    assert list(indices) == [1, 3]
    assert list(dense_shape) == [5, 2]


def test_gradients_of_ragged_and_sparse_inputs_stay_what_they_are(mode: Mode) -> None:
    def unscale(value: tf.Tensor) -> Any:
        values = tf.stack([value, 2.0, 3.0])
        ragged = tf.RaggedTensor.from_row_splits(values, [0, 1, 3])
        sparse = tf.SparseTensor([[0], [2], [4]], values, [5])
        gradients = unscale_gradients([ragged, values, sparse], tf.constant(2.0))
        assert isinstance(gradients[0], tf.RaggedTensor)
        return (
            [gradients[0].flat_values, gradients[0].row_splits, tf.sparse.to_dense(gradients[2])],
            all_finite([ragged, sparse]),
        )

    run = mode.compile(unscale, scalar_spec())
    (flat_values, row_splits, dense), finite = run(4.0)
    assert list(flat_values) == [2.0, 1.0, 1.5]
    assert list(row_splits) == [0, 1, 3]
    assert list(dense) == [2.0, 0.0, 1.0, 0.0, 1.5]
    assert finite
    assert not run(INF)[1]


def test_gradients_may_be_any_iterable() -> None:
    gradients = unscale_gradients((tf.constant(v) for v in (2.0, 4.0)), tf.constant(2.0))
    assert [float(gradient) for gradient in gradients] == [1.0, 2.0]
    assert unscale_gradients([], tf.constant(2.0)) == []


@pytest.mark.parametrize(
    ("value", "finite"), [(1.0, True), (NAN, False), (INF, False), (-INF, False)]
)
def test_one_bad_value_anywhere_makes_all_gradients_bad(
    mode: Mode, value: float, finite: bool
) -> None:
    def structures(gradient: tf.Tensor) -> Any:
        sparse = tf.IndexedSlices(tf.stack([gradient]), tf.constant([0]))
        return [
            all_finite([gradient]),
            all_finite([None, tf.ones([3]), tf.stack([1.0, gradient])]),
            all_finite([tf.ones([2]), sparse]),
            all_finite({"a": [tf.ones([]), (gradient, None)]}),
            all_finite([tf.cast(gradient, tf.float16), tf.ones([], tf.float64)]),
        ]

    assert mode.compile(structures, scalar_spec())(value) == [finite] * 5


@pytest.mark.parametrize("gradients", [[], [None], (), {"a": None}])
def test_no_gradients_count_as_finite(mode: Mode, gradients: Any) -> None:
    assert mode.compile(lambda: all_finite(gradients))()


def test_a_float16_overflow_is_seen(mode: Mode) -> None:
    run = mode.compile(lambda g: all_finite([tf.cast(g, tf.float16)]), scalar_spec())
    assert run(65504.0)
    assert not run(70000.0)


@pytest.mark.parametrize(
    ("dtype", "value"), [("float16", 60000.0), ("float32", 3e38), ("float64", 1e308)]
)
def test_many_large_gradients_are_finite_though_their_sum_is_not(dtype: str, value: float) -> None:
    large = tf.fill([2**18], tf.constant(value, dtype))
    for count in (1, 5):
        assert all_finite([large] * count)
        for bad in (NAN, INF, -INF):
            has_bad = tf.tensor_scatter_nd_update(large, [[17]], [tf.constant(bad, dtype)])
            assert not all_finite([large] * count + [has_bad])


def test_infinities_of_both_signs_do_not_cancel_out_in_large_gradients() -> None:
    gradient = tf.concat([tf.ones([2**18]), [INF, -INF]], axis=0)
    assert not all_finite([gradient])
    assert not all_finite([gradient, -gradient])


@pytest.mark.parametrize(
    ("dtype", "value"),
    [("float16", 60000.0), ("bfloat16", 1e38), ("float32", 3e38), ("float64", 1e300)],
)
def test_large_gradients_are_finite_though_their_squares_are_not(
    mode: Mode, dtype: str, value: float
) -> None:
    large = tf.fill([3], tf.constant(value, dtype))
    run = mode.compile(
        lambda bad: [all_finite([large, -large]), all_finite([large, tf.cast(bad, dtype)])],
        scalar_spec(),
    )
    assert run(NAN) == [True, False]
    assert run(INF) == [True, False]
    assert run(1.0) == [True, True]


def test_gradients_of_many_dtypes_and_shapes_are_told_apart(mode: Mode) -> None:
    def ask(bad: tf.Tensor) -> Any:
        return all_finite(
            [
                tf.zeros([0]),
                tf.ones([2, 3], tf.float16),
                None,
                tf.IndexedSlices(tf.ones([1, 2], tf.float64), tf.constant([0])),
                tf.fill([5, 1], tf.cast(bad, tf.bfloat16)),
            ]
        )

    run = mode.compile(ask, scalar_spec())
    assert run(1.0)
    assert not run(INF)


@pytest.mark.parametrize("count", [1, 6])
def test_unscaling_can_be_differentiated_again(mode: Mode, count: int) -> None:
    def second_derivative(value: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as outer:
            outer.watch(value)
            with tf.GradientTape() as inner:
                inner.watch(value)
                loss = scale_loss(value**3, FixedLossScale(8))
            gradients = [inner.gradient(loss, value)] * count
            *_, gradient = unscale_gradients(gradients, tf.constant(8.0))
        return outer.gradient(gradient, value)

    assert mode.compile(second_derivative, scalar_spec())(3.0) == 18


def test_functions_may_be_run_eagerly() -> None:
    tf.config.run_functions_eagerly(True)
    try:
        assert all_finite([tf.ones([2])])
        assert not all_finite([tf.constant(NAN)])
        assert unscale_gradients([tf.constant(8.0)], tf.constant(2.0))[0] == 4
    finally:
        tf.config.run_functions_eagerly(False)


def test_pairs_are_split_in_order() -> None:
    assert unzip(zip([1, 2], ["a", "b"], strict=True)) == ([1, 2], ["a", "b"])
    assert unzip([]) == ([], [])


def test_numpy_arrays_and_variables_are_gradients_too(mode: Mode) -> None:
    gradients = [np.array([4.0, 8.0], np.float32), tf.Variable([4.0, 8.0])]

    def both() -> Any:
        return unscale_gradients(gradients, tf.constant(4.0)), all_finite(gradients)

    unscaled, finite = mode.compile(both)()
    assert [gradient.tolist() for gradient in unscaled] == [[1, 2], [1, 2]]
    assert finite


def test_each_gradient_is_multiplied_once_by_the_reciprocal_as_in_tf_keras(mode: Mode) -> None:
    # A division would round otherwise, and so would float32 arithmetic on a float16 gradient.
    values = np.random.default_rng(0).normal(size=50).astype("f")

    def unscale(scale: tf.Tensor) -> Any:
        given = [tf.constant(values), tf.constant(values, tf.float16), tf.constant(values[:1])]
        return unscale_gradients(given, scale)

    found = mode.compile(unscale, scalar_spec())(3.0)
    factor = np.float32(1) / np.float32(3)
    np.testing.assert_array_equal(found[0], values * factor)
    np.testing.assert_array_equal(found[1], values.astype("e") * factor.astype("e"))
    np.testing.assert_array_equal(found[2], values[:1] * factor)


LARGE = [2**17]
CASES = {
    "finite": (lambda: [tf.ones(LARGE), tf.ones([3])], True),
    "none": (list, True),
    "a sum that overflows": (lambda: [tf.fill(LARGE, 1e38), tf.ones([3])], True),
    "a NaN in the large one": (lambda: [tf.fill(LARGE, NAN), tf.ones([3])], False),
    "an infinity in a small one": (lambda: [tf.ones(LARGE), tf.constant([1.0, INF])], False),
    "infinities that cancel": (lambda: [tf.fill(LARGE, INF), tf.fill(LARGE, -INF)], False),
    "float16 with a large sum": (lambda: [tf.ones(LARGE), tf.fill(LARGE, tf.float16.max)], True),
    "a NaN in float16": (lambda: [tf.ones(LARGE), tf.constant([NAN], tf.float16)], False),
    "bfloat16": (lambda: [tf.fill(LARGE, tf.bfloat16.max), tf.ones([2], tf.float64)], True),
    "float64 beyond float32": (lambda: [tf.fill(LARGE, tf.constant(1e300, tf.float64))], True),
    "a NaN in a scalar": (lambda: [tf.ones([3]), tf.constant(NAN)], False),
    "a NaN among rows": (lambda: [tf.ones([2, 3]), tf.fill([4, 3], NAN), tf.zeros([0, 3])], False),
    "empty": (lambda: [tf.zeros([0]), tf.zeros([0])], True),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("copies", [1, 5], ids=["few", "many"])
def test_it_says_whether_every_element_is_finite(case: str, copies: int) -> None:
    make, expected = CASES[case]
    tensors = make() * copies
    in_graph = tf.function(lambda: all_finite(tensors))
    by_xla = tf.function(lambda: all_finite(tensors), jit_compile=True)
    for ask in (lambda: all_finite(tensors), in_graph, by_xla):
        assert bool(ask()) is expected
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        assert session.run(all_finite(make() * copies)) == expected


def operations(make: Callable[[], list[Any]]) -> Counter[str]:
    """How often each operation is in the graph that asks about tensors."""
    with tf.Graph().as_default() as graph:
        tensors = [tf.compat.v1.placeholder(dtype, shape) for dtype, shape in make()]
        all_finite(tensors)
    return Counter(operation.type for operation in graph.get_operations())


def test_small_tensors_of_one_kind_are_asked_about_together() -> None:
    small = operations(lambda: [(tf.float32, [2]), (tf.float32, [512]), (tf.float32, [1])])
    assert (small["ConcatV2"], small["IsFinite"]) == (1, 1)
    kinds = [(tf.float32, [2, 3]), (tf.float32, [4, 3]), (tf.float16, [2]), (tf.float32, [3])]
    assert operations(lambda: kinds)["IsFinite"] == 3
    assert operations(lambda: [(tf.float32, [513]), (tf.float32, None)] * 2)["ConcatV2"] == 0


def test_a_large_tensor_is_averaged_and_others_are_asked_for_each_element() -> None:
    assert operations(lambda: [(tf.float32, LARGE)])["Mean"] == 1
    assert operations(lambda: [(tf.float32, [2**17 - 1])])["Mean"] == 0
    assert operations(lambda: [(tf.float16, LARGE)])["Mean"] == 0


def test_rows_that_vary_do_not_trace_the_mean_again_and_again() -> None:
    before = _traced_finite_by_mean.experimental_get_tracing_count()
    for rows in range(2**17, 2**17 + 6):
        values = tf.ones([rows, 1])
        assert all_finite([tf.IndexedSlices(values, tf.range(rows), [rows, 1])])
    assert _traced_finite_by_mean.experimental_get_tracing_count() - before <= 2


def test_a_graph_of_tensorflow_1_gets_no_functions() -> None:
    # Programs of TensorFlow 1 may be written into files that have none.
    tf.compat.v1.disable_control_flow_v2()
    try:
        with tf.Graph().as_default() as graph:
            all_finite([tf.compat.v1.placeholder(tf.float32, LARGE)])
    finally:
        tf.compat.v1.enable_control_flow_v2()
    assert not graph.as_graph_def().library.function

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from compat_lossscale.core import reference
from compat_lossscale.core.deferral import Deferred, unscale_now_or_later
from tests.support import INF, NAN

SHAPES: tuple[tuple[int, ...], ...] = ((3,), (2, 2), (), (5,), (70, 70), (5000,), (1, 2))
DTYPES = ("float32", "float16", "float64")


def gradients(factor: float = 1.0) -> list[tf.Tensor]:
    return [
        tf.cast(tf.fill(shape, factor * (number + 1)), dtype)
        for number, shape in enumerate(SHAPES)
        for dtype in DTYPES
    ]


def deferred(
    values: list[tf.Tensor],
    change: Callable[[list[tf.Tensor]], list[tf.Tensor]] = lambda values: values,
    scale: float = 8.0,
) -> tuple[bool, list[np.ndarray[Any, Any]]]:
    """The verdict on values that were unscaled and then changed, and the values themselves."""

    @tf.function
    def run(scale: tf.Tensor) -> tuple[tf.Tensor, list[tf.Tensor]]:
        step = Deferred(change(unscale_now_or_later(values, scale)))
        return step.all_finite(), step.unscaled()

    finite, unscaled = run(tf.constant(scale))
    return bool(finite), [value.numpy() for value in unscaled]


def assert_equal(values: list[Any], expected: list[Any]) -> None:
    for value, other in zip(values, expected, strict=True):
        assert value.dtype == other.dtype
        np.testing.assert_array_equal(value, other)


def test_values_come_out_divided_in_their_order_shape_and_dtype() -> None:
    finite, values = deferred(gradients())
    assert finite
    expected = [value.numpy() / value.dtype.as_numpy_dtype(8) for value in gradients()]
    assert_equal(values, expected)


@pytest.mark.grid(5)
@pytest.mark.parametrize("position", range(len(SHAPES) * len(DTYPES)))
@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_one_bad_element_is_found_wherever_it_is(position: int, bad: float) -> None:
    values = gradients()
    flat = tf.reshape(values[position], [-1])
    worse = tf.tensor_scatter_nd_update(flat, [[0]], tf.constant([bad], flat.dtype))
    values[position] = tf.reshape(worse, values[position].shape)
    assert not deferred(values)[0]


@pytest.mark.parametrize(
    "change",
    [
        lambda values: values[::-1],
        lambda values: values[1:],
        lambda values: [value * 2 for value in values],
        lambda values: [values[0] * 2, *values[1:]],
        lambda values: [values[0], values[0], *values],
        lambda values: [tf.cast(value, "float64") for value in values],
        lambda values: [tf.cast(value, "float32") for value in values[::-1]],
        lambda values: [tf.cast(value, "float16") for value in values],
        lambda values: [tf.cast(values[0], "float64"), *values[1:]],
        lambda values: [tf.cast(tf.cast(value, "int32"), "float32") for value in values],
    ],
    ids=[
        "turned round",
        "one dropped",
        "all changed",
        "one changed",
        "repeated",
        "widened",
        "widened and turned round",
        "narrowed",
        "one widened",
        "rounded",
    ],
)
def test_values_that_were_changed_after_unscaling_stay_changed(
    change: Callable[[list[Any]], list[Any]],
) -> None:
    finite, values = deferred(gradients(), change)
    assert finite
    expected = change([value / 8 for value in gradients()])
    assert_equal(values, [value.numpy() for value in expected])


@pytest.mark.parametrize("dtype", DTYPES)
def test_finite_values_whose_sum_overflows_are_finite(dtype: str) -> None:
    values = [tf.fill([5000], tf.constant(3e38 if dtype != "float16" else 6e4, dtype))] * 2
    assert deferred(values)[0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_infinities_that_cancel_are_not_finite(dtype: str) -> None:
    assert not deferred([tf.fill([5000], tf.constant(sign * INF, dtype)) for sign in (1, -1)])[0]


@pytest.mark.parametrize("largest", [3e38, -3e38])
def test_a_loss_scale_below_one_makes_large_values_infinite(largest: float) -> None:
    values = [tf.fill([5000], largest), tf.fill([5000], -largest)]
    assert deferred(values, scale=1.0)[0]
    assert not deferred(values, scale=0.5)[0]


def test_a_bad_value_that_was_dropped_does_not_count() -> None:
    values = [tf.constant([NAN]), tf.constant([1.0]), tf.constant([2.0])]
    assert deferred(values, lambda unscaled: unscaled[1:])[0]
    assert not deferred(values)[0]


def test_a_bad_value_that_was_repaired_does_not_count() -> None:
    values = [tf.constant([NAN]), tf.constant([1.0])]

    def repair(unscaled: list[tf.Tensor]) -> list[tf.Tensor]:
        return [tf.where(tf.math.is_finite(value), value, 0.0) for value in unscaled]

    finite, repaired = deferred(values, repair)
    assert finite
    assert_equal(repaired, [np.float32([0.0]), np.float32([0.125])])


@pytest.mark.parametrize(("size", "bad"), [(5000, NAN), (5000, 60000.0), (3, 60000.0)])
def test_a_number_that_only_a_loss_scale_below_1_makes_infinite_is_found(
    size: int, bad: float
) -> None:
    values = [tf.fill([size], tf.constant(bad, tf.float16)), tf.ones([size])]
    assert not deferred(values, scale=0.5)[0]
    assert deferred(values, scale=1.0)[0] is (bad == 60000.0)
    assert deferred([values[1]] * 9, scale=0.5)[0]


def test_large_gradients_that_were_unscaled_twice_are_divided_twice() -> None:
    values = [tf.fill([5000], 64.0), tf.fill([5000], tf.constant(32.0, tf.float16))]

    def again(unscaled: list[tf.Tensor]) -> list[tf.Tensor]:
        return [*unscaled, *unscale_now_or_later(unscaled, tf.constant(4.0))]

    finite, found = deferred(values, again)
    assert finite
    assert [float(value[0]) for value in found] == [8.0, 4.0, 2.0, 1.0]


@pytest.mark.parametrize("scale", [0.0, INF, -2.0, -0.5])
@pytest.mark.parametrize("number", [0.0, 1.0, 60000.0])
def test_the_answer_is_that_of_the_unscaled_gradients_at_any_loss_scale(
    number: float, scale: float
) -> None:
    values = [tf.fill([5000], tf.constant(number, tf.float16))]
    finite, unscaled = deferred(values, scale=scale)
    assert finite is bool(np.isfinite(unscaled[0]).all())


def test_only_large_gradients_wait() -> None:
    values = [tf.ones([4095]), tf.ones([4096])]

    @tf.function
    def run() -> None:
        small, large = unscale_now_or_later(values, tf.constant(2.0))
        unscaled = Deferred([small, large]).unscaled()
        assert unscaled[0] is small
        assert unscaled[1] is not large  # It is unscaled now.

    run()


@pytest.mark.needs_private("no public name says whether XLA compiles what is traced")
def test_under_xla_small_gradients_wait_too_but_for_those_whose_rounding_it_may_skip() -> None:
    found: list[bool] = []

    @tf.function(jit_compile=True)
    def run(values: list[tf.Tensor]) -> None:
        given = unscale_now_or_later(values, tf.constant(2.0))
        unscaled = Deferred(given).unscaled()
        found.extend(after is not before for before, after in zip(given, unscaled, strict=True))

    run([tf.ones([3], dtype) for dtype in DTYPES])
    assert dict(zip(DTYPES, found, strict=True)) == {
        "float32": True,
        "float16": False,
        "float64": True,
    }


@pytest.mark.grid(4)
@pytest.mark.parametrize("scale", [8.0, 1000.0, 0.3])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("is_product", [False, True])
def test_under_xla_a_step_has_the_bits_of_one_that_unscales_before_its_branch(
    scale: float, dtype: str, is_product: bool
) -> None:
    random = np.random.default_rng(1)
    # Some are denormal, and none overflows when it is scaled.
    exponents = (-8, 1) if dtype == "float16" else (-40, 5)
    magnitudes = 10.0 ** random.integers(*exponents, 2000)
    value = tf.constant(random.normal(size=2000) * magnitudes, dtype)
    average = tf.constant(random.normal(size=2000) * magnitudes / scale, dtype)

    def step(value: tf.Tensor, average: tf.Tensor, scale: tf.Tensor, *, wait: bool) -> tf.Tensor:
        values = [value * tf.cast(scale, dtype) if is_product else value]
        if wait:
            deferred = Deferred(unscale_now_or_later(values, scale))
            finite, unscaled = deferred.all_finite(), deferred.unscaled
        else:
            products = reference.unscale_gradients(values, scale)
            finite, unscaled = reference.every_element_is_finite(products), lambda: products
        rate = tf.cast(0.1, dtype)
        return tf.cond(finite, lambda: average + (unscaled()[0] - average) * rate, lambda: average)

    results = [
        tf.function(functools.partial(step, wait=wait), jit_compile=True)(
            value, average, tf.constant(scale)
        )
        for wait in (True, False)
    ]
    assert results[0].numpy().tobytes() == results[1].numpy().tobytes()
    assert results[0].numpy().tobytes() != average.numpy().tobytes()


def test_a_loss_scale_that_is_not_a_number_makes_the_step_a_bad_one() -> None:
    assert not deferred(gradients(), scale=NAN)[0]


def test_values_that_were_never_unscaled_are_judged_as_they_are() -> None:
    @tf.function
    def run(value: tf.Tensor) -> tuple[tf.Tensor, list[tf.Tensor]]:
        step = Deferred([value, tf.ones([2, 2])])
        return step.all_finite(), step.unscaled()

    assert bool(run(tf.constant([1.0]))[0])
    assert not bool(run(tf.constant([INF]))[0])


def test_sizes_that_are_not_known_while_tracing() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec([None])])
    def run(one: tf.Tensor, other: tf.Tensor) -> tuple[tf.Tensor, list[tf.Tensor]]:
        step = Deferred(unscale_now_or_later([one, other], tf.constant(2.0)))
        return step.all_finite(), step.unscaled()

    finite, values = run(tf.ones([2, 2]), tf.ones([3]))
    assert bool(finite)
    assert_equal(
        [value.numpy() for value in values], [np.full([2, 2], 0.5, "f"), np.full(3, 0.5, "f")]
    )


def test_unscaling_can_be_differentiated() -> None:
    @tf.function
    def slope(values: list[tf.Tensor]) -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            tape.watch(values)
            unscaled = unscale_now_or_later([value**2 for value in values], tf.constant(4.0))
        gradients: list[tf.Tensor] = tape.gradient(unscaled, values)
        return gradients

    values = [tf.constant([1.0, 2.0]), tf.constant([3.0]), tf.constant([[4.0]])]
    assert_equal(
        [value.numpy() for value in slope(values)],
        [value.numpy() / np.float32(2) for value in values],
    )


def test_no_values_at_all_are_finite() -> None:
    assert deferred([], lambda values: values)[0]


@pytest.mark.parametrize("value", [3.0, NAN])
def test_eager_values_stand_for_themselves(value: float) -> None:
    outside = [tf.constant([value])]
    finite, values = deferred([tf.constant([8.0])], lambda unscaled: unscaled + outside)
    assert finite is (value == 3.0)
    assert_equal(values, [np.float32([1.0]), np.float32([value])])

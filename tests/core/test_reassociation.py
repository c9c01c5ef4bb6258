# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf

from compat_lossscale.core import private
from compat_lossscale.core.gradients import unscale_gradients
from compat_lossscale.core.reassociation import may_be_reassociated


def eager() -> Any:
    with tf.init_scope():
        return tf.ones([2, 2])


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda x: x * 3.0, True),
        (lambda x: -(x / 3.0), True),
        (lambda x: tf.reshape(tf.identity(x * 3.0), [4]), True),
        (lambda x: tf.add_n([x * 3.0, x]), True),
        (lambda x: x, True),
        (lambda x: x @ x, False),
        (lambda x: tf.reshape(tf.identity(x @ x), [4]), False),
        (lambda x: tf.reduce_sum(x * 3.0, axis=0), False),
        (lambda x: tf.reduce_sum(x[:1] * 3.0, axis=0), True),
        (lambda x: eager(), False),
        (lambda x: tf.identity(eager()), True),
    ],
    ids=[
        "product",
        "quotient",
        "reshaped product",
        "sum of products",
        "argument",
        "matrix product",
        "reshaped matrix product",
        "sum over an axis",
        "sum of one row",
        "eager",
        "copy of eager",
    ],
)
def test_what_may_be_a_product_may_be_reassociated(
    build: Callable[[Any], Any], expected: bool
) -> None:
    found: list[bool] = []

    @tf.function
    def run(x: tf.Tensor) -> None:
        found.append(may_be_reassociated(build(x)))

    run(eager())
    assert found == [expected]


@pytest.mark.needs_private("no public name says whether XLA compiles what is traced")
def test_whatever_xla_compiles_may_be() -> None:
    found: list[bool] = []

    @tf.function(jit_compile=True)
    def run(x: tf.Tensor) -> None:
        found.append(may_be_reassociated(x @ x))

    run(eager())
    assert found == [True]
    assert not private.compiled_by_xla()


@pytest.mark.parametrize("count", [1, 9])
@pytest.mark.parametrize("size", [3, 1000, 5000])
def test_a_product_that_overflows_is_unscaled_as_tensorflow_unscales_it(
    count: int, size: int
) -> None:
    scale = tf.Variable(2.0**100)

    def gradients(x: tf.Tensor) -> list[tf.Tensor]:
        return [x * float(number + 1) * scale for number in range(count)]

    def plain(x: tf.Tensor) -> list[tf.Tensor]:
        reciprocal = 1.0 / scale
        return [gradient * reciprocal for gradient in gradients(x)]

    def ours(x: tf.Tensor) -> list[tf.Tensor]:
        return unscale_gradients(gradients(x), tf.convert_to_tensor(scale))

    x = tf.fill([size], 2.0**60)
    for mine, theirs in zip(tf.function(ours)(x), tf.function(plain)(x), strict=True):
        assert mine.numpy().tolist() == theirs.numpy().tolist()

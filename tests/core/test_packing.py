# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import tensorflow as tf

from compat_lossscale.core.packing import is_small, pack, unpack


def test_packed_tensors_come_back_as_they_were() -> None:
    tensors = [
        tf.constant([1.0, 2.0]),
        tf.constant(3.0),
        tf.reshape(tf.range(6.0), [2, 3]),
        tf.zeros([0, 4]),
    ]
    again = unpack(pack(tensors), [tensor.shape for tensor in tensors])
    assert [tensor.shape for tensor in again] == [tensor.shape for tensor in tensors]
    for one, other in zip(again, tensors, strict=True):
        np.testing.assert_array_equal(one, other)


def test_one_tensor_can_be_packed() -> None:
    vector = pack([tf.ones([2, 2])])
    assert vector.shape == [4]


def test_small_is_what_has_few_elements_while_tracing() -> None:
    seen: list[bool] = []

    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([8]), tf.TensorSpec([9999])])
    def trace(*tensors: tf.Tensor) -> None:
        seen.extend(is_small(tensor) for tensor in tensors)

    trace.get_concrete_function()
    assert seen == [False, True, False]

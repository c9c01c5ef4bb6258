# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
import tensorflow as tf

from compat_lossscale.core.packing import is_short_vector, join, split


@pytest.mark.parametrize("vectors", [[[1.0, 2.0], [3.0], [], [4.0, 5.0, 6.0]], [[1.0, 2.0]]])
def test_joined_vectors_come_back_as_they_were(vectors: list[list[float]]) -> None:
    joined = join([tf.constant(vector) for vector in vectors])
    assert joined.shape == [sum(map(len, vectors))]
    parts = split(joined, [len(vector) for vector in vectors])
    assert [part.numpy().tolist() for part in parts] == vectors


def test_a_short_vector_has_few_elements_while_tracing() -> None:
    seen: list[bool] = []
    shapes = ([None], [8], [9999], [2, 2], [], None)

    @tf.function(input_signature=[tf.TensorSpec(shape) for shape in shapes])
    def trace(*tensors: tf.Tensor) -> None:
        seen.extend(is_short_vector(tensor) for tensor in tensors)

    trace.get_concrete_function()
    assert seen == [False, True, False, False, False, False]

# SPDX-License-Identifier: Apache-2.0
"""How this package's functions are traced: as they are written, and many operations as one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import tensorflow as tf

_FEW = 4
"""Up to so many tensors, the operations cost less than a call of a function that has them."""
_Function = TypeVar("_Function", bound=Callable[..., Any])


def as_written(function: _Function) -> _Function:
    """Keeps AutoGraph from rewriting a function when a user's `tf.function` calls it.

    TensorFlow's own optimizers are exempt too. Rewriting would only make tracing slower.
    """
    return cast("_Function", tf.autograph.experimental.do_not_convert(function))


def traced_function() -> Any:
    """Returns the graph of the function that is being traced; `None` outside of one."""
    return None if tf.executing_eagerly() else tf.compat.v1.get_default_graph()


class OneCall:
    """Calls a function of many tensors as one operation.

    In eager mode, to start an operation takes longer than a small gradient's arithmetic; in a
    `tf.function`, each operation takes time to trace. So the function is traced once for each
    sequence of dtypes and ranks, and what came of it is called. For few tensors, and in a graph
    of TensorFlow 1, the function itself is called.

    Args:
        function: Takes a list of tensors, each of any shape, and returns tensors. It depends on
            nothing else.
    """

    def __init__(self, function: Callable[[list[tf.Tensor]], Any]) -> None:
        self._function = function
        self._traced: dict[tuple[Any, ...], Any] = {}

    def __call__(self, tensors: Sequence[tf.Tensor]) -> Any:
        """Returns what the function returns for `tensors`."""
        tensors = list(tensors)
        if len(tensors) <= _FEW or not tf.compat.v1.executing_eagerly_outside_functions():
            return self._function(tensors)
        kinds = tuple((tensor.dtype, tensor.shape.rank) for tensor in tensors)
        traced = self._traced.get(kinds)
        if traced is None:
            traced = self._traced[kinds] = self._trace(kinds)
        if not tf.executing_eagerly():
            return traced(tensors)
        # The same call, without what Python does for each tensor: a tenth of the time.
        results = traced.structured_outputs
        dtypes = [result.dtype for result in tf.nest.flatten(results)]
        called = tf.raw_ops.PartitionedCall(args=tensors, Tout=dtypes, f=traced)
        return tf.nest.pack_sequence_as(results, called)

    def _trace(self, kinds: tuple[Any, ...]) -> Any:
        specs = [
            tf.TensorSpec(None if rank is None else [None] * rank, dtype) for dtype, rank in kinds
        ]
        with tf.init_scope():
            return tf.function(self._function, autograph=False).get_concrete_function(specs)

# SPDX-License-Identifier: Apache-2.0
"""How this package's functions are traced: as they are written, and no oftener than need be."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import tensorflow as tf
from tensorflow.python.eager.polymorphic_function.atomic_function import AtomicFunction
from tensorflow.python.ops import control_flow_util

_FEW = 4
"""Tensors up to which calling a graph costs more than it spares."""
_Function = TypeVar("_Function", bound=Callable[..., Any])


def as_written(function: _Function) -> _Function:
    """Keeps AutoGraph from rewriting a function when a user's `tf.function` calls it.

    TensorFlow's own optimizers are exempt too. Rewriting would only make tracing slower.
    """
    return cast("_Function", tf.autograph.experimental.do_not_convert(function))


def compiled_by_xla() -> bool:
    """Whether what is being traced will be compiled by XLA, as under `jit_compile=True`."""
    graph = tf.compat.v1.get_default_graph()
    return not tf.executing_eagerly() and control_flow_util.GraphOrParentsInXlaContext(graph)


class TracedOnce:
    """Calls a function of many tensors, in eager mode, as one operation.

    Dispatching an operation costs more than a small gradient's arithmetic. So the function is
    traced, once for each sequence of dtypes, and the graph is called. For few tensors, and in a
    graph under construction, the function itself is called.

    Args:
        function: Takes a list of tensors, each of any shape, and returns tensors. It must not
            depend on anything else.
        in_graphs: Whether a graph too is to have one operation, the call: it is made in less time
            than those of the function, and runs as fast.
    """

    def __init__(
        self, function: Callable[[list[tf.Tensor]], Any], *, in_graphs: bool = False
    ) -> None:
        self._function = function
        self._in_graphs = in_graphs
        self._graphs: dict[tuple[Any, ...], Any] = {}

    def __call__(self, tensors: Sequence[tf.Tensor]) -> Any:
        """Returns what the function returns for `tensors`."""
        tensors = list(tensors)
        if len(tensors) <= _FEW or not self._can_call():
            return self._function(tensors)
        dtypes = tuple(tensor.dtype for tensor in tensors)
        graph = self._graphs.get(dtypes)
        if graph is None:
            graph = self._graphs[dtypes] = self._trace(dtypes)
        if not tf.executing_eagerly():
            return Call(graph.inference_fn, tensors)()
        # The public way of calling takes longer than what is called: it binds each argument anew.
        return graph._call_flat(tensors, graph.captured_inputs)

    def _can_call(self) -> bool:
        return tf.executing_eagerly() or (
            self._in_graphs and tf.compat.v1.executing_eagerly_outside_functions()
        )

    def _trace(self, dtypes: tuple[Any, ...]) -> Any:
        specs = [tf.TensorSpec(None, dtype) for dtype in dtypes]
        with tf.init_scope():
            return tf.function(self._function, autograph=False).get_concrete_function(specs)


@dataclasses.dataclass(frozen=True)
class Call:
    """A call that is yet to be made, of a function that was traced before.

    Attributes:
        function: The function.
        tensors: Its arguments.
    """

    function: AtomicFunction
    tensors: Sequence[tf.Tensor]

    def __call__(self) -> Any:
        """Makes the call in the graph that is being built, and returns what the function does."""
        results = self.function.call_flat(*self.tensors)
        return self.function.function_type.pack_output(results)


def call_of(function: Callable[..., Any], tensors: Sequence[tf.Tensor]) -> Call:
    """A call of a function that is traced once for each sequence of dtypes and shapes.

    Args:
        function: A function of `tensors` and of nothing else: a module's, or a frozen dataclass.
        tensors: Tensors of known shapes.
    """
    kinds = tuple((tensor.dtype, tuple(tensor.shape)) for tensor in tensors)
    return Call(_function_of(function, kinds), tensors)


def in_one_call(function: Callable[..., Any], tensors: Sequence[tf.Tensor]) -> Any:
    """Calls a function on tensors; in a graph, as one operation.

    The function is traced once, and every graph calls what came of it. A call takes some 10 µs more
    than a few operations do, so this is for what is seldom done.

    Args:
        function: As of `call_of`.
        tensors: Tensors of known shapes.

    Returns:
        What the function returns.
    """
    if tf.executing_eagerly() or not tf.compat.v1.executing_eagerly_outside_functions():
        return function(*tensors)
    return call_of(function, tensors)()


@functools.cache
def _function_of(
    function: Callable[..., Any],
    kinds: tuple[tuple[tf.DType, tuple[int, ...]], ...],
) -> AtomicFunction:
    specs = [tf.TensorSpec(shape, dtype) for dtype, shape in kinds]
    traced = tf.function(function, specs, autograph=False)
    with tf.init_scope():
        return traced.get_concrete_function().inference_fn

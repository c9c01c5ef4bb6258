# SPDX-License-Identifier: Apache-2.0
"""Taking one of two branches of a graph.

TensorFlow's branches are functions that take the same tensors. What `tf.cond` spends most of its
time on is a placeholder, in each of them, for every tensor that only the other one uses. A step
that is applied uses all gradients and variables, and one that is skipped uses hardly any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.core.framework.attr_value_pb2 import AttrValue, NameAttrList
from tensorflow.core.framework.node_def_pb2 import NodeDef
from tensorflow.python.eager.polymorphic_function.atomic_function import (
    AtomicFunction,
    from_func_graph,
)
from tensorflow.python.framework.func_graph import FuncGraph, func_graph_from_py_func
from tensorflow.python.framework.ops import uid
from tensorflow.python.ops import control_flow_util_v2
from tensorflow.python.ops.control_flow_v2_func_graphs import CondBranchFuncGraph

from compat_lossscale.core.definitions import argument, define, in_this_graph, types_of
from compat_lossscale.core.traced import Call, compiled_by_xla

_FEW = 1 << 20
"""Elements up to which a branch is left whole."""


def either(
    condition: tf.Tensor,
    then: Callable[[], Any],
    otherwise: Callable[[], Any],
    using: Iterable[tf.Tensor],
) -> Any:
    """Does in a graph what `tf.cond` does, with less work for each tensor that the branches use.

    TensorFlow spreads a branch into the graph around it, with an operation for each tensor that
    goes in. Where there is but one device, and little to compute, the branch is left whole, and
    called. A call keeps its tensors until it ends, so large ones could not be overwritten in place.

    Args:
        condition: A bool scalar tensor.
        then: Builds what is done if the condition holds, and returns the operation that does it.
        otherwise: The same if it does not hold; uses few tensors. If it is a `Call` on variables'
            handles that returns a bool, nothing of it has to be traced any more.
        using: The tensors that may be large among those that the branches use.

    Returns:
        The operation that does it, or a tensor that depends on it.
    """
    if compiled_by_xla() or not tf.compat.v1.executing_eagerly_outside_functions():
        return tf.cond(condition, then, lambda: tf.group(otherwise()))
    first = _branch("then", then)
    waits_for = [*first.function_captures.control]
    if isinstance(otherwise, Call):
        smaller = otherwise
    else:
        second = _branch("otherwise", otherwise)
        waits_for += second.function_captures.control
        smaller = Call(_function(second), second.external_captures)
    # Now the first one takes whatever either of them uses.
    for tensor in smaller.tensors:
        first.capture(tensor)
    inputs = first.external_captures
    position = {id(tensor): number for number, tensor in enumerate(inputs)}
    taken = [position[id(tensor)] for tensor in smaller.tensors]
    larger = _function(first)
    with tf.control_dependencies(waits_for):
        [done] = tf.raw_ops.If(
            cond=condition,
            input=inputs,
            Tout=[tf.bool],
            then_branch=in_this_graph(larger),
            else_branch=in_this_graph(_taking_as_much(larger, smaller.function, taken)),
        )
    whole = _is_on_one_device() and _are_few(using)
    control_flow_util_v2.maybe_set_lowering_attr(done.op, False if whole else None)
    return done.op


def _branch(name: str, build: Callable[[], Any]) -> FuncGraph:
    """Traces a branch, as `tf.cond` does. It returns a bool when all is done."""
    outer = tf.compat.v1.get_default_graph()
    name = control_flow_util_v2.unique_fn_name(outer.get_name_scope(), name)

    def body() -> tf.Tensor:
        with tf.control_dependencies([build()]):
            return tf.constant(True)

    return func_graph_from_py_func(
        name,
        body,
        (),
        {},
        func_graph=CondBranchFuncGraph(name, collections=outer._collections),
        add_control_dependencies=outer._add_control_dependencies,
    )


def _function(branch: FuncGraph) -> AtomicFunction:
    return from_func_graph(branch.name, branch, {})


def _taking_as_much(
    larger: AtomicFunction, smaller: AtomicFunction, taken: Sequence[int]
) -> AtomicFunction:
    """Makes a function that takes what a larger one takes, but does what a smaller one does.

    Args:
        larger: Returns a bool.
        smaller: Does so too.
        taken: Which of the larger one's arguments the smaller one takes.
    """
    dtypes = [one.dtype for one in larger.graph.inputs]
    call = NodeDef(
        name="call",
        op="StatefulPartitionedCall",
        input=[argument(number) for number in taken],
        attr={
            "f": AttrValue(func=NameAttrList(name=smaller.name)),
            "Tin": types_of([dtypes[number] for number in taken]),
            "Tout": types_of([tf.bool]),
        },
    )
    return define(
        f"{smaller.name.decode()}_taking_as_much_{uid()}",
        dtypes,
        [call],
        [("call:output:0", tf.bool)],
        calls=smaller,
    )


def _is_on_one_device() -> bool:
    return not tf.distribute.has_strategy() and len(tf.config.list_logical_devices()) == 1


def _are_few(tensors: Iterable[tf.Tensor]) -> bool:
    sizes = [tensor.shape.num_elements() for tensor in tensors]
    return None not in sizes and sum(sizes) <= _FEW

# SPDX-License-Identifier: Apache-2.0
"""Functions of graphs that are made as they are stored, without tracing.

Most of the time that TensorFlow takes to trace a short function goes into a placeholder for each
of its arguments.
"""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf
from tensorflow.core.framework.attr_value_pb2 import AttrValue, NameAttrList
from tensorflow.core.framework.function_pb2 import FunctionDef
from tensorflow.core.framework.node_def_pb2 import NodeDef
from tensorflow.core.framework.op_def_pb2 import OpDef
from tensorflow.core.function.polymorphism.function_type import from_structured_signature
from tensorflow.python.eager import context
from tensorflow.python.eager.polymorphic_function.atomic_function import AtomicFunction


def argument(number: int) -> str:
    """What nodes call a function's argument, by its number."""
    return f"argument_{number}"


def define(
    name: str,
    arguments: Sequence[tf.DType],
    nodes: Sequence[NodeDef],
    results: Sequence[tuple[str, tf.DType]],
    calls: AtomicFunction | None = None,
) -> AtomicFunction:
    """Makes a function.

    Args:
        name: A name that no other function has.
        arguments: What its arguments are.
        nodes: What it does.
        results: What it returns: an `argument`, or a node's output as `node:output:number`.
        calls: The function that the first node calls, if it does; that is done in any case.

    Returns:
        The function. TensorFlow forgets it with the last graph that it was made known to.
    """
    returned = {f"result_{number}": source for number, (source, _) in enumerate(results)}
    definition = FunctionDef(
        signature=OpDef(
            name=name,
            input_arg=[
                OpDef.ArgDef(name=argument(number), type=dtype.as_datatype_enum)
                for number, dtype in enumerate(arguments)
            ],
            output_arg=[
                OpDef.ArgDef(name=result, type=dtype.as_datatype_enum)
                for result, (_, dtype) in zip(returned, results, strict=True)
            ],
            control_output=[node.name for node in nodes[:1] if calls],
            is_stateful=calls is not None,
        ),
        node_def=nodes,
        ret=returned,
        control_ret={node.name: node.name for node in nodes[:1] if calls},
    )
    runtime = context.context()
    runtime.add_function_def(definition)
    children = [calls, *calls.children] if calls else []
    given, returns = (
        tuple(tf.TensorSpec(None, dtype) for dtype in dtypes)
        for dtypes in (arguments, [dtype for _, dtype in results])
    )
    kind = from_structured_signature((given, {}), returns)
    return AtomicFunction(name, runtime, kind, children=children)


def in_this_graph(function: AtomicFunction) -> NameAttrList:
    """Makes a function known to the graph that is being built, for its operations."""
    tf.compat.v1.get_default_graph()._add_function_recursive(function)
    return NameAttrList(name=function.name)


def type_of(dtype: tf.DType) -> AttrValue:
    """A dtype as a node's attribute."""
    return AttrValue(type=dtype.as_datatype_enum)


def types_of(dtypes: Sequence[tf.DType]) -> AttrValue:
    """Several dtypes as a node's attribute."""
    return AttrValue(list=AttrValue.ListValue(type=[one.as_datatype_enum for one in dtypes]))

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import tensorflow as tf
from tensorflow.core.framework.attr_value_pb2 import AttrValue, NameAttrList
from tensorflow.core.framework.node_def_pb2 import NodeDef
from tensorflow.python.eager import context
from tensorflow.python.eager.polymorphic_function.atomic_function import AtomicFunction

from compat_lossscale.core.definitions import argument, define, in_this_graph, type_of, types_of


def swapped_product(name: str) -> AtomicFunction:
    """Returns its second argument, and the product of both."""
    product = NodeDef(
        name="product",
        op="Mul",
        input=[argument(0), argument(1)],
        attr={"T": type_of(tf.float32)},
    )
    results = [(argument(1), tf.float32), ("product:z:0", tf.float32)]
    return define(name, [tf.float32, tf.float32], [product], results)


def called(function: AtomicFunction, *tensors: tf.Tensor) -> list[tf.Tensor]:
    outputs: list[tf.Tensor] = tf.raw_ops.PartitionedCall(
        args=tensors, Tout=[tf.float32, tf.float32], f=in_this_graph(function)
    )
    return outputs


def test_a_function_returns_its_nodes_outputs_and_its_arguments() -> None:
    function = swapped_product("test_returns")

    @tf.function
    def run(first: tf.Tensor, second: tf.Tensor) -> list[tf.Tensor]:
        return called(function, first, second)

    results = run(tf.constant([3.0, 5.0]), tf.constant(0.5))
    assert [result.numpy().tolist() for result in results] == [0.5, [1.5, 2.5]]


def test_it_is_saved_and_loaded_with_what_calls_it(tmp_path: Path) -> None:
    module = tf.Module()
    function = swapped_product("test_saved")
    module.run = tf.function(
        lambda first: called(function, first, tf.constant(2.0)),
        input_signature=[tf.TensorSpec([])],
    )
    tf.saved_model.save(module, str(tmp_path))
    results = tf.saved_model.load(str(tmp_path)).run(tf.constant(4.0))
    assert [result.numpy() for result in results] == [2.0, 8.0]


def test_what_it_calls_is_done_though_nothing_of_it_is_returned() -> None:
    total = tf.Variable(0.0)

    @tf.function(input_signature=[])
    def counts() -> tf.Tensor:
        total.assign_add(1.0)
        return tf.constant(True)

    inner = counts.get_concrete_function()
    call = NodeDef(
        name="call",
        op="StatefulPartitionedCall",
        input=[argument(0)],
        attr={
            "f": AttrValue(func=NameAttrList(name=inner.name)),
            "Tin": types_of([tf.resource]),
            "Tout": types_of([tf.bool]),
        },
    )
    outer = define(
        "test_calls",
        [tf.resource],
        [call],
        [("call:output:0", tf.bool)],
        calls=inner._inference_function,
    )

    @tf.function
    def run() -> None:
        tf.raw_ops.StatefulPartitionedCall(
            args=[total.handle], Tout=[tf.bool], f=in_this_graph(outer)
        )

    run()
    run()
    assert total.numpy() == 2.0


def test_it_is_gone_with_what_made_it() -> None:
    function = swapped_product("test_gone")
    assert context.context().has_function("test_gone")
    del function
    assert not context.context().has_function("test_gone")

# SPDX-License-Identifier: Apache-2.0
"""Which products of a graph TensorFlow's graph optimizer may compute in another order.

Where a gradient is itself a product, as `x * loss_scale`, the optimizer may compute
`x * (loss_scale / loss_scale)` for what unscales it, which differs in the last bit, or is finite
where the product is not. Programs get that result from TensorFlow's own optimizers, and have to get
it here. So such a gradient is multiplied by itself, right where it comes from, as in the reference.
"""

from __future__ import annotations

import re

import tensorflow as tf

from compat_lossscale.core import private

_PASSES_ON = re.compile(
    "Cast|ExpandDims|Identity|PreventGradient|Reshape|Squeeze|StopGradient|Transpose"
)
"""Operations that the optimizer may take out or move, so that what they are given counts."""
_IS_NO_PRODUCT = re.compile(
    "BatchMatMul.*|BiasAddGrad|(Conv|DepthwiseConv).*Backprop.*|Einsum|FusedBatchNormGrad.*|MatMul"
    "|SplitV|Sum|UnsortedSegmentSum"
)
"""Operations that give gradients in neural networks, and that the optimizer does not see through.

What is not named is taken for a product, which costs an operation and no accuracy.
"""


def may_be_reassociated(tensor: tf.Tensor) -> bool:
    """Whether a multiplication of this tensor has to stand where the reference has it.

    Args:
        tensor: A tensor, eager or of the graph that is being built.
    """
    if private.compiled_by_xla():
        # XLA puts operations together over the whole graph, and may then skip roundings.
        return True
    while tf.is_symbolic_tensor(tensor):
        if tensor.op.type == "Sum" and not _adds_up(tensor.op):
            tensor = tensor.op.inputs[0]
            continue
        if _IS_NO_PRODUCT.fullmatch(tensor.op.type):
            return False
        if not _PASSES_ON.fullmatch(tensor.op.type):
            return True
        tensor = tensor.op.inputs[0]
    return False


def _adds_up(total: tf.Operation) -> bool:
    """Whether a sum is of more than one number, and not taken out therefore."""
    given, result = (one.shape.num_elements() for one in (total.inputs[0], total.outputs[0]))
    return given is None or given != result

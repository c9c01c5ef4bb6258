# SPDX-License-Identifier: Apache-2.0
"""Which products of a graph TensorFlow's graph optimizer may compute in another order.

Where a gradient is itself a product, as `x * loss_scale`, the optimizer may compute
`x * (loss_scale / loss_scale)` for what unscales it, which differs in the last bit, or is finite
where the product is not. Programs get that result from TensorFlow's own optimizers, and have to get
it here. So such a gradient is multiplied by itself, right where it comes from, as in the reference.
"""

from __future__ import annotations

import tensorflow as tf

from compat_lossscale.core import private

_PASS_ON = frozenset(
    {"ExpandDims", "Identity", "PreventGradient", "Reshape", "Squeeze", "StopGradient", "Transpose"}
)
"""Operations that the optimizer may take out, so that what they are given counts."""
_ARE_NO_PRODUCTS = frozenset(
    {
        "BatchMatMul",
        "BatchMatMulV2",
        "BatchMatMulV3",
        "BiasAddGrad",
        "Conv2DBackpropFilter",
        "Conv2DBackpropInput",
        "Conv3DBackpropFilterV2",
        "Conv3DBackpropInputV2",
        "DepthwiseConv2dNativeBackpropFilter",
        "DepthwiseConv2dNativeBackpropInput",
        "Einsum",
        "FusedBatchNormGradV3",
        "MatMul",
        "Sum",
        "UnsortedSegmentSum",
    }
)
"""Operations that give gradients in neural networks, and that the optimizer does not see through.

What is not listed is taken for a product, which costs an operation and no accuracy.
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
        if tensor.op.type in _ARE_NO_PRODUCTS:
            return False
        if tensor.op.type not in _PASS_ON:
            return True
        tensor = tensor.op.inputs[0]
    return False

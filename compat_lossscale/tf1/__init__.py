# SPDX-License-Identifier: Apache-2.0
"""Loss scaling for optimizers of `tf.compat.v1.train`, and the graph rewrite. No Keras."""

from compat_lossscale.tf1.graph_rewrite import (
    disable_mixed_precision_graph_rewrite,
    enable_mixed_precision_graph_rewrite,
)
from compat_lossscale.tf1.optimizer import MixedPrecisionLossScaleOptimizer

__all__ = [
    "MixedPrecisionLossScaleOptimizer",
    "disable_mixed_precision_graph_rewrite",
    "enable_mixed_precision_graph_rewrite",
]

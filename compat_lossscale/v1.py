# SPDX-License-Identifier: Apache-2.0
"""The loss-scale API for `tf.compat.v1.train` optimizers, under its old names.

`compat_lossscale.v1.X` is `tf.compat.v1.train.experimental.X` or
`tf.compat.v1.mixed_precision.X`.
"""

from compat_lossscale._require import require_tensorflow

require_tensorflow(__name__)

from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale  # noqa: E402  # after the check
from compat_lossscale.optimizers import (  # noqa: E402  # after the check
    MixedPrecisionLossScaleOptimizer,
    disable_mixed_precision_graph_rewrite,
    enable_mixed_precision_graph_rewrite,
)

__all__ = [
    "DynamicLossScale",
    "FixedLossScale",
    "LossScale",
    "MixedPrecisionLossScaleOptimizer",
    "disable_mixed_precision_graph_rewrite",
    "enable_mixed_precision_graph_rewrite",
]

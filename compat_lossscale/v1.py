# SPDX-License-Identifier: Apache-2.0
"""The loss-scale API for `tf.compat.v1.train` optimizers, under its old names.

`compat_lossscale.v1.X` is `tf.compat.v1.train.experimental.X` or
`tf.compat.v1.mixed_precision.X`.
"""

import importlib.util

from compat_lossscale._require import require_tensorflow

require_tensorflow(__name__, tf_keras=False)

from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale  # noqa: E402  # after the check
from compat_lossscale.tf1 import (  # noqa: E402  # after the check
    MixedPrecisionLossScaleOptimizer,
    disable_mixed_precision_graph_rewrite,
    enable_mixed_precision_graph_rewrite,
)

if importlib.util.find_spec("tf_keras"):
    # The graph rewrite wraps optimizers of tf-keras too, once they are known.
    from compat_lossscale import optimizers as _optimizers  # noqa: F401

__all__ = [
    "DynamicLossScale",
    "FixedLossScale",
    "LossScale",
    "MixedPrecisionLossScaleOptimizer",
    "disable_mixed_precision_graph_rewrite",
    "enable_mixed_precision_graph_rewrite",
]

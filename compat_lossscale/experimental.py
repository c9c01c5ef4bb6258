# SPDX-License-Identifier: Apache-2.0
"""The experimental API of TensorFlow 1.14 to 2.4, under its old names.

`compat_lossscale.experimental.X` is `tf.keras.mixed_precision.experimental.X`,
`tf.train.experimental.X` or `tf.mixed_precision.experimental.X`.
"""

from compat_lossscale._require import require_tensorflow

require_tensorflow(__name__)

from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale  # noqa: E402  # after the check
from compat_lossscale.optimizers import ExperimentalLossScaleOptimizer as LossScaleOptimizer  # noqa: E402  # after the check
from compat_lossscale.policies import Policy, get_layer_policy, global_policy, set_policy  # noqa: E402  # after the check

__all__ = [
    "DynamicLossScale",
    "FixedLossScale",
    "LossScale",
    "LossScaleOptimizer",
    "Policy",
    "get_layer_policy",
    "global_policy",
    "set_policy",
]

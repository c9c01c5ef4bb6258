# SPDX-License-Identifier: Apache-2.0
"""None as the v1 optimizer's loss scale."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe_error

tf.disable_v2_behavior()
observe_error(
    "none",
    lambda: tf.train.experimental.MixedPrecisionLossScaleOptimizer(
        tf.train.GradientDescentOptimizer(1.0), None
    ),
)

# SPDX-License-Identifier: Apache-2.0
"""A float16 loss in the v1 optimizer: works from 2.1 on."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe_error

tf.disable_v2_behavior()
var = tf.get_variable("var", initializer=1.0)
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.train.GradientDescentOptimizer(1.0), 8
)
observe_error("minimize", lambda: opt.minimize(tf.cast(var, tf.float16) * 2))

# SPDX-License-Identifier: Apache-2.0
"""minimize with a grad_loss, which is not scaled twice."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0), 16
)
var = tf.Variable(4.0)
opt.minimize(lambda: var * 3.0, [var], grad_loss=tf.constant(0.5))
observe("var", var)

# SPDX-License-Identifier: Apache-2.0
"""Bad steps bring the scale down to 1 and no further."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0), tf.train.experimental.DynamicLossScale(5.0)
)
var = tf.Variable(0.0)
for step in range(5):
    opt.apply_gradients([(tf.constant(float("inf")), var)])
    observe("step%d.scale" % step, opt.get_scaled_loss(tf.constant(1.0)))
observe("var", var)

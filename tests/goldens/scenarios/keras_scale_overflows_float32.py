# SPDX-License-Identifier: Apache-2.0
"""A loss so large that scaling it overflows brings the scale down until the steps apply."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(2.0 ** -120), tf.train.experimental.DynamicLossScale(2.0 ** 15, 4)
)
var = tf.Variable(1.0)
for step in range(8):
    opt.minimize(lambda: var * 2.0 ** 120, var_list=[var])
    observe("step%d.var" % step, var)
    observe("step%d.scale" % step, opt.get_scaled_loss(tf.constant(1.0)))

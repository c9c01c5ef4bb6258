# SPDX-License-Identifier: Apache-2.0
"""With an increment period of 1 every finite step doubles the scale."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf
import tensorflow.keras.mixed_precision.experimental as mp

from observe import observe

opt = mp.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.5), tf.train.experimental.DynamicLossScale(1.0, 1)
)
var = tf.Variable(1.0)
for step, gradient in enumerate([1.0, 1.0, 1.0, float("nan"), 1.0, float("inf"), float("inf")]):
    opt.apply_gradients([(gradient * tf.ones([]), var)])
    observe("step%d.scale" % step, opt.get_scaled_loss(tf.constant(1.0)))
    observe("step%d.var" % step, var)

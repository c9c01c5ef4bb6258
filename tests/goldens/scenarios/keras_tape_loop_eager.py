# SPDX-License-Identifier: Apache-2.0
"""The documented eager loop: scale the loss, take gradients, unscale them, apply them."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25), "dynamic"
)
var = tf.Variable(1.0)
for step in range(4):
    with tf.GradientTape() as tape:
        loss = var ** 2
        scaled_loss = opt.get_scaled_loss(loss)
    scaled_gradients = tape.gradient(scaled_loss, [var])
    gradients = opt.get_unscaled_gradients(scaled_gradients)
    opt.apply_gradients(zip(gradients, [var]))
    observe("step%d.loss" % step, loss)
    observe("step%d.scaled_loss" % step, scaled_loss)
    observe("step%d.scaled_gradient" % step, scaled_gradients[0])
    observe("step%d.gradient" % step, gradients[0])
    observe("step%d.var" % step, var)

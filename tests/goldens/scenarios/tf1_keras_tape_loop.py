# SPDX-License-Identifier: Apache-2.0
"""In 1.15 the Keras wrapper scales the loss and unscales gradients for a gradient tape."""
# versions: 1.15
# run: --tf1
import tensorflow as tf

from observe import observe

tf.enable_v2_behavior()
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.5), "dynamic")
var = tf.Variable([1.0, 2.0])


@tf.function
def train_step(factor):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(var ** 2) * factor
        scaled = opt.get_scaled_loss(loss)
    grads = opt.get_unscaled_gradients(tape.gradient(scaled, [var]))
    opt.apply_gradients(zip(grads, [var]))
    return loss


for step, factor in enumerate([1.0, 1.0, 2.0]):
    observe("step%d.loss" % step, train_step(tf.constant(factor)))
    observe("step%d.var" % step, var)
    observe("step%d.scale" % step, opt.loss_scale())
observe("iterations", opt.iterations)
train_step(tf.constant(float("nan")))
observe("skipped.scale", opt.loss_scale())
observe("skipped.var", var)

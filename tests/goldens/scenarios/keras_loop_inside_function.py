# SPDX-License-Identifier: Apache-2.0
"""A whole loop of training steps inside one tf.function, bad ones among them."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.5, momentum=0.5), tf.train.experimental.DynamicLossScale(8.0, 2)
)
var = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(0.0), var)])


@tf.function
def train(gradients):
    for gradient in gradients:
        opt.apply_gradients([(gradient, var)])
    return opt.get_scaled_loss(tf.constant(1.0))


nan = float("nan")
observe("first.scale", train(tf.constant([1.0, nan, 1.0, 1.0])))
observe("first.var", var)
observe("second.scale", train(tf.constant([nan, nan, nan, nan, 1.0])))
observe("second.var", var)

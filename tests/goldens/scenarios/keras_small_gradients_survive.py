# SPDX-License-Identifier: Apache-2.0
"""Small gradients survive float16 only when scaled: the point of it all, in numbers."""
# versions: 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe


def gradient(scale):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(1.0), scale)
    var = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        half = tf.cast(var, tf.float16)
        loss = opt.get_scaled_loss(tf.cast(half * tf.constant(1.0, tf.float16), tf.float32) * 2.0 ** -26)
    (grad,) = opt.get_unscaled_gradients(tape.gradient(loss, [var]))
    return grad * 2.0 ** 26


observe("unscaled", gradient(1))
observe("scaled", gradient(1024))

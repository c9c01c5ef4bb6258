# SPDX-License-Identifier: Apache-2.0
"""Two optimizers given one loss-scale object move the same scale."""
# versions: 2.0 2.1 2.2 2.3
import tensorflow as tf

from observe import observe

scaler = tf.train.experimental.DynamicLossScale(8.0, 3)
wrap = tf.keras.mixed_precision.experimental.LossScaleOptimizer
generator, discriminator = (
    wrap(tf.keras.optimizers.SGD(1.0), scaler),
    wrap(tf.keras.optimizers.SGD(1.0), scaler),
)
a, b = tf.Variable(0.0), tf.Variable(0.0)
generator.apply_gradients([(tf.constant(1.0), a)])
discriminator.apply_gradients([(tf.constant(1.0), b)])
observe("two_good.steps", scaler._num_good_steps)
generator.apply_gradients([(tf.constant(1.0), a)])
observe("grown.scale", discriminator.loss_scale())
discriminator.apply_gradients([(tf.constant(float("nan")), b)])
observe("shrunk.scale", generator.loss_scale())
observe("a", a)
observe("b", b)

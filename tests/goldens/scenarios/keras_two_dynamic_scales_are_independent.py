# SPDX-License-Identifier: Apache-2.0
"""Two optimizers each given 'dynamic' have scales of their own."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf
import tensorflow.keras.mixed_precision.experimental as mp

from observe import observe

first = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(1.0), "dynamic")
second = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(1.0), "dynamic")
a, b = tf.Variable(0.0), tf.Variable(0.0)
first.apply_gradients([(tf.constant(float("nan")), a)])
second.apply_gradients([(tf.constant(1.0), b)])
observe("first.scale", first.get_scaled_loss(tf.constant(1.0)))
observe("second.scale", second.get_scaled_loss(tf.constant(1.0)))
observe("values", [a.numpy(), b.numpy()])

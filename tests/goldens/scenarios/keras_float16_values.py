# SPDX-License-Identifier: Apache-2.0
"""The values of float16 and float64 losses and gradients, scaled and unscaled, where that worked."""
# versions: 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(1.0), 256)
half = tf.constant([0.5, 1024.0], tf.float16)
scaled = opt.get_scaled_loss(half)
observe("scaled", scaled)
observe("scaled.dtype", scaled.dtype)
(unscaled,) = opt.get_unscaled_gradients([tf.constant([256.0, 1.0], tf.float16)])
observe("unscaled", unscaled)
observe("unscaled.dtype", unscaled.dtype)
called = opt.get_scaled_loss(lambda: tf.constant(2.0, tf.float16))()
observe("called", called)
observe("called.dtype", called.dtype)
double = opt.get_scaled_loss(tf.constant(3.0, tf.float64))
observe("double", double)
observe("double.dtype", double.dtype)
(double,) = opt.get_unscaled_gradients([tf.constant(8.0, tf.float64)])
observe("unscaled_double", double)
observe("unscaled_double.dtype", double.dtype)

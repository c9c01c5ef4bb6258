# SPDX-License-Identifier: Apache-2.0
"""get_scaled_loss of tensors and of callables."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0), tf.train.experimental.DynamicLossScale(8.0, 1)
)
observe("scalar", opt.get_scaled_loss(tf.constant(1.5)))
observe("vector", opt.get_scaled_loss(tf.constant([1.0, -2.0])))
observe("nan", opt.get_scaled_loss(tf.constant(float("nan"))))
scaled = opt.get_scaled_loss(lambda: tf.constant(2.0))
observe("callable", callable(scaled))
observe("called", scaled())

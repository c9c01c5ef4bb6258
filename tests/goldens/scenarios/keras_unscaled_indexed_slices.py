# SPDX-License-Identifier: Apache-2.0
"""Unscaled sparse gradients stay sparse from 2.3 on."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(), 4.0)
slices = tf.IndexedSlices(
    tf.constant([[4.0, 8.0]]), tf.constant([1]), dense_shape=tf.constant([2, 2])
)
(gradient,) = opt.get_unscaled_gradients([slices])
observe("is_sparse", isinstance(gradient, tf.IndexedSlices))
observe("dense", tf.convert_to_tensor(gradient))

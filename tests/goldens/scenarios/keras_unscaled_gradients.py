# SPDX-License-Identifier: Apache-2.0
"""get_unscaled_gradients keeps None, order and length; an empty list stays empty."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(), 4.0)
observe("list", opt.get_unscaled_gradients([tf.constant(8.0), None, tf.constant([2.0, 4.0])]))
observe("tuple", opt.get_unscaled_gradients((tf.constant(8.0), tf.constant(1.0))))
observe("empty", opt.get_unscaled_gradients([]))
observe("none", opt.get_unscaled_gradients([None, None]))
observe("generator", opt.get_unscaled_gradients(tf.constant(g) for g in [4.0, 16.0]))
observe("is_list", isinstance(opt.get_unscaled_gradients((tf.constant(8.0),)), list))
observe("nan", opt.get_unscaled_gradients([tf.constant([float("nan"), float("inf"), 1.0])]))

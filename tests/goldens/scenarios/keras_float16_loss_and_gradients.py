# SPDX-License-Identifier: Apache-2.0
"""float16 losses and gradients keep their type when scaled and unscaled."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe, observe_error

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(1.0), 256)
half = tf.constant(0.5, tf.float16)
observe_error("scale", lambda: opt.get_scaled_loss(half))
observe_error("unscale", lambda: opt.get_unscaled_gradients([half]))

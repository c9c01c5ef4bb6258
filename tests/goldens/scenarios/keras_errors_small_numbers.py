# SPDX-License-Identifier: Apache-2.0
"""Numbers below 1 as a fixed scale: refused up to 2.3, accepted by 2.4."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe, observe_error

wrap = tf.keras.mixed_precision.experimental.LossScaleOptimizer
observe_error("half", lambda: wrap(tf.keras.optimizers.SGD(), 0.5))
observe_error("fixed_half", lambda: tf.train.experimental.FixedLossScale(0.5))
observe("one", wrap(tf.keras.optimizers.SGD(), 1).get_scaled_loss(tf.constant(1.0)))

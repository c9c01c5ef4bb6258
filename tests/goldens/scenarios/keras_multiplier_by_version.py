# SPDX-License-Identifier: Apache-2.0
"""A multiplier other than 2 worked up to 2.3 and is refused by the 2.4 optimizer."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe, observe_error

scaler = tf.train.experimental.DynamicLossScale(multiplier=4)
observe("object.multiplier", scaler.multiplier)
observe("object.config", scaler.get_config())
observe_error(
    "wrap",
    lambda: tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(), scaler
    ),
)

# SPDX-License-Identifier: Apache-2.0
"""The serialized optimizer's class is compared."""

import tensorflow as tf

config = tf.keras.optimizers.serialize(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), 32))
print(config["class_name"] == "LossScaleOptimizer")

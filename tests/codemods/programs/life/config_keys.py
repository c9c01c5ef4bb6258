# SPDX-License-Identifier: Apache-2.0
"""Reads the keys of the optimizer's configuration."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8)
config = opt.get_config()
inner = config["optimizer"] if "optimizer" in config else config["inner_optimizer"]
print(inner["class_name"], inner["config"]["learning_rate"])

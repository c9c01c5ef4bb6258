# SPDX-License-Identifier: Apache-2.0
"""The loss scale is a word, or a number in the environment."""

import os

import tensorflow as tf

scale = os.environ.get("LOSS_SCALE", "1024")
scale = scale if scale == "dynamic" else float(scale)
make = lambda inner, s=scale: tf.keras.mixed_precision.experimental.LossScaleOptimizer(inner, s)
opt = make(tf.keras.optimizers.SGD(0.25))
print(opt.get_scaled_loss(tf.constant(1.0)).numpy(), make(tf.keras.optimizers.SGD(0.25), "dynamic").loss_scale().numpy())

# SPDX-License-Identifier: Apache-2.0
"""Each optimizer of a dictionary is wrapped."""

import tensorflow as tf

opts = {name: tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), scale) for name, scale in [("low", 2), ("high", 1024)]}
for name, opt in opts.items():
    print(name, opt.get_scaled_loss(tf.constant(1.0)).numpy())

# SPDX-License-Identifier: Apache-2.0
"""Each optimizer of a list is wrapped."""

import tensorflow as tf

opts = [tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(rate), 8) for rate in (0.25, 0.5)]
for opt in opts:
    print(opt.get_scaled_loss(tf.constant(1.0)).numpy())

# SPDX-License-Identifier: Apache-2.0
"""`None` or a word, by a flag: what the old class did with each."""

import tensorflow as tf

for scale in ("dynamic", 2**10, True):
    try:
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(1.0), scale)
        print(scale, float(opt.get_scaled_loss(tf.constant(1.0))))
    except (ValueError, TypeError) as error:
        print(scale, type(error).__name__)

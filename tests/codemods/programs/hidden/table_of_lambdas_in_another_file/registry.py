# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
OPTIMIZERS = {
    "half": lambda: mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25, decay=0.5), 64),
    "full": lambda: tf.keras.optimizers.SGD(0.25, decay=0.5),
}

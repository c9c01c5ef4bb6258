# SPDX-License-Identifier: Apache-2.0
"""The attribute's name is in a variable."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
for name in ("loss_scale", "learning_rate"):
    value = getattr(opt, name)
    print(name, float(value() if callable(value) else value))

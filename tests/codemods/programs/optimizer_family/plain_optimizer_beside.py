# SPDX-License-Identifier: Apache-2.0
"""Another optimizer that no wrapper sees; its steps stay what they were."""

import tensorflow as tf

weight = tf.Variable([1.0, 2.0])
plain = tf.keras.optimizers.Adam(0.1)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), "dynamic")
for gradient in (1.0, -0.3, 0.7):
    for one in (plain, opt):
        one.apply_gradients([(tf.constant([gradient, 0.1]), weight)])
        print(weight.numpy().tolist())

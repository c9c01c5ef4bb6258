# SPDX-License-Identifier: Apache-2.0
"""A class is taken from a table, and called."""

import tensorflow as tf

WRAP = {
    True: tf.keras.mixed_precision.experimental.LossScaleOptimizer,
    False: lambda opt, scale: opt,
}
for half in [True, False]:
    opt = WRAP[half](tf.keras.optimizers.SGD(0.25), 8)
    weight = tf.Variable(1.0)
    opt.apply_gradients([(tf.constant(1.0), weight)])
    print(weight.numpy(), hasattr(opt, "loss_scale"))

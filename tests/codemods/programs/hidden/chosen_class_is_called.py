# SPDX-License-Identifier: Apache-2.0
"""One of two things is chosen, and called."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
for half in [True, False]:
    opt = (mp.LossScaleOptimizer if half else lambda opt, scale: opt)(
        tf.keras.optimizers.SGD(0.25), 8
    )
    weight = tf.Variable(1.0)
    opt.apply_gradients([(tf.constant(1.0), weight)])
    print(weight.numpy(), hasattr(opt, "loss_scale"))

# SPDX-License-Identifier: Apache-2.0
"""The wrapper is one side of a conditional expression."""

import tensorflow as tf

amp = True
opt = tf.keras.optimizers.SGD(0.25)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic") if amp else opt
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
print(hasattr(opt, "get_scaled_loss"))

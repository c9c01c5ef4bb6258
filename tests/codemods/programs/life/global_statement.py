# SPDX-License-Identifier: Apache-2.0
"""A function binds the object globally."""

import tensorflow as tf

scale = None


def set_up():
    global scale
    scale = tf.train.experimental.DynamicLossScale(64, 2)
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)


opt = set_up()
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
print(float(scale()))

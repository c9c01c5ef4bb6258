# SPDX-License-Identifier: Apache-2.0
"""Functions set the optimizer as a global variable."""

import tensorflow as tf

opt = None


def setup(half):
    global opt
    opt = tf.keras.optimizers.SGD(0.25, decay=0.5)
    if half:
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")


def scale():
    return float(opt.loss_scale()) if hasattr(opt, "loss_scale") else None


for half in [False, True]:
    setup(half)
    weight = tf.Variable(1.0)
    for gradient in [1.0, 2.0]:
        opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), scale())

# SPDX-License-Identifier: Apache-2.0
"""A function returns a word, a number, or an object."""

import tensorflow as tf


def get_loss_scale(kind):
    if kind == "fixed":
        return 128
    if kind == "object":
        return tf.train.experimental.DynamicLossScale(512, 3)
    return "dynamic"


for kind in ("fixed", "object", "dynamic"):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), get_loss_scale(kind))
    weight = tf.Variable(1.0)
    for gradient in (1.0, 1.0, 1.0, float("nan")):
        opt.apply_gradients([(tf.constant(gradient), weight)])
        print(kind, opt.get_scaled_loss(tf.constant(1.0)).numpy(), weight.numpy())

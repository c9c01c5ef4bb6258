# SPDX-License-Identifier: Apache-2.0
"""A loop scales by hand, if the optimizer has a loss scale."""

import tensorflow as tf


def scale_of(opt):
    return getattr(opt, "loss_scale", None)


def train(opt, v):
    ls = scale_of(opt)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v ** 2)
        if ls is not None:
            loss = loss * ls()
    (g,) = tape.gradient(loss, [v])
    if ls:
        g /= ls()
    opt.apply_gradients([(g, v)])


for opt in (tf.keras.optimizers.SGD(0.1),
            tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), 16)):
    v = tf.Variable([1.0, -1.0])
    train(opt, v)
    print(v.numpy().tolist())

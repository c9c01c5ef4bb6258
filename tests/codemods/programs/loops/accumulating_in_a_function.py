# SPDX-License-Identifier: Apache-2.0
"""Gradients in variables, applied every second step under tf.cond, in a tf.function."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as prec

opt = prec.LossScaleOptimizer(tf.keras.optimizers.Adagrad(0.5), prec.Policy("mixed_float16").loss_scale)
weight, total, count = tf.Variable([1.0, 2.0]), tf.Variable([0.0, 0.0]), tf.Variable(0)


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = opt.get_scaled_loss(tf.reduce_sum(weight * x))
    (grad,) = opt.get_unscaled_gradients(tape.gradient(loss, [weight]))
    total.assign_add(grad)
    count.assign_add(1)
    if count % 2 == 0:
        opt.apply_gradients([(total / 2.0, weight)])
        total.assign(tf.zeros_like(total))


for x in (1.0, 2.0, 3.0, 4.0):
    step(tf.constant(x))
    print(weight.numpy().tolist())

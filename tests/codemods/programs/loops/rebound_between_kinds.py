# SPDX-License-Identifier: Apache-2.0
"""One name is a plain optimizer and a wrapped one by turns."""

import tensorflow as tf

weight = tf.Variable(1.0)
opt = tf.keras.optimizers.SGD(0.25)
for turn in range(3):
    if turn % 2:
        inner = opt
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(inner, 2 ** turn)
        loss = opt.get_scaled_loss(tf.constant(1.0))
        print(loss.numpy(), opt.loss_scale().numpy())
        opt.apply_gradients([(tf.constant(1.0), weight)])
        opt = inner
    else:
        opt.apply_gradients([(tf.constant(1.0), weight)])
    print(turn, weight.numpy(), int(opt.iterations))

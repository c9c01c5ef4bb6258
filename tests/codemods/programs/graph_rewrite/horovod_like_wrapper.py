# SPDX-License-Identifier: Apache-2.0
"""A distributed optimizer of its own, made by a subclass at run time, and the rewrite around it."""

import tensorflow as tf


def distributed(optimizer):
    class Distributed(optimizer.__class__):
        def apply_gradients(self, grads_and_vars, *args, **kwargs):
            return super().apply_gradients([(g / 2, v) for g, v in grads_and_vars], *args, **kwargs)

    return Distributed.from_config(optimizer.get_config())


opt = distributed(tf.keras.optimizers.SGD(0.5, momentum=0.5))
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic")
weight = tf.Variable(1.0)
for _ in range(2):
    with tf.GradientTape() as tape:
        loss = opt.get_scaled_loss(weight**2)
    opt.apply_gradients(zip(opt.get_unscaled_gradients(tape.gradient(loss, [weight])), [weight]))
    print(weight.numpy())

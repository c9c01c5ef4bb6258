# SPDX-License-Identifier: Apache-2.0
"""A class of one's own adds clipping in front of the wrapper."""

import tensorflow as tf

prec = tf.keras.mixed_precision.experimental


class Clipping(tf.keras.optimizers.Adam):
    def __init__(self, *args, clip=1.0, **kwargs):
        super().__init__(*args, **kwargs)
        self.clip = clip

    def apply_gradients(self, grads_and_vars, *args, **kwargs):
        pairs = [(tf.clip_by_value(g, -self.clip, self.clip), v) for g, v in grads_and_vars]
        return super().apply_gradients(pairs, *args, **kwargs)


var = tf.Variable(1.0)
opt = prec.LossScaleOptimizer(Clipping(0.5, clip=0.25), loss_scale=1024)
for gradient in (1024.0, 4096.0):
    grads = opt.get_unscaled_gradients([tf.constant(gradient)])
    opt.apply_gradients(zip(grads, [var]))
    print(var.numpy(), opt._optimizer.clip, opt.iterations.numpy())

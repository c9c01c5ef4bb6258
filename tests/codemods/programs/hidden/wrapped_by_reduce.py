# SPDX-License-Identifier: Apache-2.0
"""A list of functions wraps the optimizer."""

import functools

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
wrappers = [lambda o: o, functools.partial(mp.LossScaleOptimizer, loss_scale=32)]
opt = functools.reduce(lambda o, w: w(o), wrappers, tf.keras.optimizers.SGD(0.1, momentum=0.5))
head, *rest = [opt, None]
print(float(head.loss_scale()), rest, float(opt.get_scaled_loss(tf.constant(0.5))))

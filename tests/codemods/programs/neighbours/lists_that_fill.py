# SPDX-License-Identifier: Apache-2.0
"""Lists that are empty where they are made, and decide what runs once they are filled."""

import numpy as np
import tensorflow as tf

rates, gradients = [], []
for rate in (0.25, 0.5):
    rates.append(rate)
gradients += [1.0, float("nan"), 0.5]


def make():
    if not rates:
        return None
    return tf.keras.optimizers.SGD(rates[0], decay=0.5)


if rates:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(make(), "dynamic")
    print(np.array(rates, dtype=np.float).dtype, isinstance(make(), tf.keras.optimizers.SGD))
weight = tf.Variable(1.0)
if gradients:
    for gradient in gradients:
        opt.apply_gradients([(tf.constant(gradient), weight)])
        print(weight.numpy(), opt.loss_scale().numpy())

# SPDX-License-Identifier: Apache-2.0
"""Names of the program that hide those of Python which take numpy's places."""

import numpy as np
import tensorflow as tf


def learning_rate(float):
    return np.asarray(float)


class np_like:
    float = "mine"
    Inf = "mine"


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(learning_rate(0.25)), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())
print(np.float("1.5"), np_like.float, np_like.Inf)
np.mine = np_like
print(np.mine.Inf, np.Inf)

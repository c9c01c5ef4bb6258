# SPDX-License-Identifier: Apache-2.0
"""Types of numpy that are chosen by their names, in strings."""

import numpy as np
import tensorflow as tf


def kind_of(name):
    if name == "float":
        return np.float
    if name in ("bool", "flag"):
        return np.bool
    return np.int if name.startswith("int") else np.object


print([np.zeros(1, kind_of(name)).dtype for name in ("float", "bool", "int32", "text")])
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())

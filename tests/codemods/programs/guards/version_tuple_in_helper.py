# SPDX-License-Identifier: Apache-2.0
"""A helper chooses the module by a version that it takes apart itself."""

import tensorflow as tf


def precision():
    major, minor = (int(part) for part in tf.__version__.split(".")[:2])
    if (major, minor) < (2, 4):
        return tf.keras.mixed_precision.experimental
    return tf.keras.mixed_precision


mp = precision()
opt = tf.keras.optimizers.Adam(0.5)
if hasattr(mp, "set_policy"):
    mp.set_policy("mixed_float16")
    opt = mp.LossScaleOptimizer(opt, "dynamic")
else:
    mp.set_global_policy("mixed_float16")
    opt = mp.LossScaleOptimizer(opt)
var = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), var)])
print(abs(var.numpy() - 0.5) < 1e-4, mp.global_policy().name)

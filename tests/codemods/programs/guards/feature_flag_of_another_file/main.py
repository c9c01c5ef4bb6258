# SPDX-License-Identifier: Apache-2.0
"""The flag and the module come from another file."""

import tensorflow as tf
from amp import HAS_AMP, mp

opt = tf.keras.optimizers.SGD(0.25)
if HAS_AMP:
    mp.set_policy("mixed_float16")
    opt = mp.LossScaleOptimizer(opt, 8)

layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name)
weight = tf.Variable(1.0)
for gradient in [1.0, float("inf"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

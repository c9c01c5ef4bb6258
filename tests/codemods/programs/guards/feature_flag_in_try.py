# SPDX-License-Identifier: Apache-2.0
"""A flag says whether there is mixed precision, and nothing takes its place."""

import tensorflow as tf

try:
    from tensorflow.keras.mixed_precision import experimental as mp

    HAS_AMP = True
except (ImportError, AttributeError):
    HAS_AMP = False

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

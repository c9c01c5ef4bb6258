# SPDX-License-Identifier: Apache-2.0
"""A loss scale of a program's own class, which another file gives to Keras."""

import tensorflow as tf
from scale import Mine
from wrapping import wrap

old = tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.compat.v1.train.GradientDescentOptimizer(0.25), Mine(64)
)
weight = tf.Variable(1.0)
old.minimize(lambda: weight * weight, var_list=[weight])
print(weight.numpy())
wrap(Mine(32)).minimize(lambda: weight * weight, [weight])
print(weight.numpy())

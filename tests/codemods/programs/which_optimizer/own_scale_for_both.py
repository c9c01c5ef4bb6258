# SPDX-License-Identifier: Apache-2.0
"""A dynamic loss scale of a program's own class, for optimizers of TensorFlow 1 and of Keras."""

import tensorflow as tf


class Mine(tf.train.experimental.DynamicLossScale):
    def update(self, grads):
        print("updating")
        return super().update(grads)


old = tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.compat.v1.train.GradientDescentOptimizer(0.25), Mine(64)
)
new = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25), Mine(32)
)
weight = tf.Variable(1.0)
old.minimize(lambda: weight * weight, var_list=[weight])
print(weight.numpy())
new.minimize(lambda: weight * weight, [weight])
print(weight.numpy())

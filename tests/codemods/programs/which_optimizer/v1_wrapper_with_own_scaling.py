# SPDX-License-Identifier: Apache-2.0
"""A class that replaces a private method of the wrapper of TensorFlow 1."""

import tensorflow as tf


class Louder(tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer):
    def _scale_loss(self, loss):
        print("scaling")
        return super()._scale_loss(loss)


opt = Louder(tf.compat.v1.train.GradientDescentOptimizer(0.25), 8)
weight = tf.Variable(1.0)
opt.minimize(lambda: weight * weight, var_list=[weight])
print(weight.numpy())

# SPDX-License-Identifier: Apache-2.0
"""A subclass prints the scale when it steps."""

import tensorflow as tf


class Printing(tf.keras.mixed_precision.experimental.LossScaleOptimizer):
    def apply_gradients(self, grads_and_vars, name=None, experimental_aggregate_gradients=True):
        print("scale", float(self.loss_scale()))
        return super().apply_gradients(grads_and_vars, name)


var = tf.Variable(1.0)
opt = Printing(tf.keras.optimizers.SGD(0.5), "dynamic")
opt.apply_gradients([(tf.constant(1.0), var)])
print(var.numpy())

# SPDX-License-Identifier: Apache-2.0
"""The weights of one wrapper go to another one."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer


def make():
    opt = LossScaleOptimizer(tf.keras.optimizers.SGD(0.1, momentum=0.9), loss_scale="dynamic")
    v = tf.Variable([1.0])
    opt.apply_gradients([(tf.constant([1.0]), v)])
    return opt, v


first, v = make()
first.apply_gradients([(tf.constant([2.0]), v)])
saved = first.get_weights()
second, w = make()
second.set_weights(saved)
second.apply_gradients([(tf.constant([0.0]), w)])
print(len(saved), w.numpy().tolist(), int(second.iterations))
clone = LossScaleOptimizer(tf.keras.optimizers.SGD.from_config(first._optimizer.get_config()), loss_scale=first.loss_scale)
print(float(clone.get_scaled_loss(tf.constant(1.0))), float(clone.lr))

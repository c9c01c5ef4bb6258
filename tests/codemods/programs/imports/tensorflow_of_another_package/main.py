# SPDX-License-Identifier: Apache-2.0
"""TensorFlow itself comes from a file of the program."""

from common import tf

var = tf.Variable(1.0)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.Adam(0.5), loss_scale=8
)
opt.apply_gradients([(tf.constant(8.0), var)])
print(var.numpy(), opt.loss_scale().numpy())

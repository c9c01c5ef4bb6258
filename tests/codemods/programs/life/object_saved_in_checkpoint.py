# SPDX-License-Identifier: Apache-2.0
"""The object is saved in a checkpoint of its own."""

import os
import tempfile

import tensorflow as tf

scale = tf.train.experimental.DynamicLossScale(64, 1)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
with tempfile.TemporaryDirectory() as folder:
    path = tf.train.Checkpoint(scale=scale).save(os.path.join(folder, "scale"))
    again = tf.train.experimental.DynamicLossScale(8, 1)
    tf.train.Checkpoint(scale=again).restore(path)
print(again().numpy())

# SPDX-License-Identifier: Apache-2.0
"""Training goes on from a checkpoint (adam, dynamic)."""

import os
import tempfile

import tensorflow as tf


def train(opt, weight, steps):
    for _ in range(steps):
        opt.minimize(lambda: weight * weight, var_list=[weight])
        print(weight.numpy(), opt.get_scaled_loss(tf.constant(1.0)).numpy())


with tempfile.TemporaryDirectory() as folder:
    weight = tf.Variable(2.0)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), tf.train.experimental.DynamicLossScale(64, 2))
    train(opt, weight, 3)
    path = tf.train.Checkpoint(optimizer=opt, weight=weight).save(os.path.join(folder, "checkpoint"))
    print(sorted(name for name, _ in tf.train.list_variables(path) if name[0] != "_"))
    again = tf.Variable(0.0)
    other = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.5), tf.train.experimental.DynamicLossScale(64, 2))
    tf.train.Checkpoint(optimizer=other, weight=again).restore(path)
    train(other, again, 2)

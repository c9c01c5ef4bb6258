# SPDX-License-Identifier: Apache-2.0
"""A manager keeps the last checkpoints."""

import tempfile

import tensorflow as tf

weight = tf.Variable(2.0)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), "dynamic")
with tempfile.TemporaryDirectory() as folder:
    checkpoint = tf.train.Checkpoint(step=tf.Variable(0), optimizer=opt, weight=weight)
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1)
    for _ in range(3):
        opt.minimize(lambda: weight * weight, var_list=[weight])
        checkpoint.step.assign_add(1)
        manager.save()
    weight.assign(9.0)
    checkpoint.restore(manager.latest_checkpoint).expect_partial()
print(weight.numpy(), int(checkpoint.step))

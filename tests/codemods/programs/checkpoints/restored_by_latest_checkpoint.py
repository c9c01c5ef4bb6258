# SPDX-License-Identifier: Apache-2.0
"""A checkpoint of a step counter, an optimizer and weights, restored when there is one."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental


def make():
    weight = tf.Variable([1.0, 2.0])
    opt = mp.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), loss_scale="dynamic")
    step = tf.Variable(0, dtype=tf.int64)
    return weight, opt, step, tf.train.Checkpoint(step=step, optimizer=opt, weight=weight)


weight, opt, step, checkpoint = make()
manager = tf.train.CheckpointManager(checkpoint, "out", max_to_keep=1)
for _ in range(2):
    opt.apply_gradients([(tf.constant([float("inf"), 1.0]), weight)])
    step.assign_add(1)
manager.save()
weight, opt, step, checkpoint = make()
status = checkpoint.restore(tf.train.latest_checkpoint("out"))
status.assert_existing_objects_matched()
opt.apply_gradients([(tf.constant([1.0, 1.0]), weight)])
print(weight.numpy(), int(step), float(opt.get_scaled_loss(tf.constant(1.0))))

# SPDX-License-Identifier: Apache-2.0
"""A checkpoint restored into an optimizer that has trained already puts everything back."""
# versions: 2.0 2.1 2.2 2.3 2.4
import os
import tempfile

import tensorflow as tf

from observe import observe

var = tf.Variable(4.0)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.Adam(0.5), tf.train.experimental.DynamicLossScale(256.0, 3)
)
opt.apply_gradients([(tf.constant(1.0), var)])
with tempfile.TemporaryDirectory() as folder:
    checkpoint = tf.train.Checkpoint(v=var, opt=opt)
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
    path = manager.save()
    saved = var.numpy()
    for gradient in [float("nan"), 2.0, 2.0]:
        opt.apply_gradients([(tf.constant(gradient), var)])
    observe("moved.scale", opt.get_scaled_loss(tf.constant(1.0)))
    observe("moved.var_differs", bool(var.numpy() != saved))
    checkpoint.restore(manager.latest_checkpoint).assert_existing_objects_matched()
    observe("restored.scale", opt.get_scaled_loss(tf.constant(1.0)))
    observe("restored.var", var)
    observe("restored.iterations", opt.iterations)
    observe("restored.slots", opt.get_weights()[1:])
    for step, gradient in enumerate([2.0, 2.0]):
        opt.apply_gradients([(tf.constant(gradient), var)])
        observe("step%d.var" % step, var)
        observe("step%d.scale" % step, opt.get_scaled_loss(tf.constant(1.0)))

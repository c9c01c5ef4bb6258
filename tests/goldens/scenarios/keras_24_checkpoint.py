# SPDX-License-Identifier: Apache-2.0
"""A checkpoint of the 2.4 optimizer: its keys, and going on from it."""
# versions: 2.4
import os
import tempfile

import tensorflow as tf

from observe import observe


def build():
    var = tf.Variable(1.0)
    opt = tf.keras.mixed_precision.LossScaleOptimizer(
        tf.keras.optimizers.Adam(0.5), initial_scale=8, dynamic_growth_steps=2
    )
    return var, opt, tf.train.Checkpoint(v=var, optimizer=opt)


var, opt, checkpoint = build()
for gradient in [1.0, float("nan"), 2.0]:
    opt.apply_gradients([(tf.constant(gradient), var)])
with tempfile.TemporaryDirectory() as folder:
    path = checkpoint.save(os.path.join(folder, "ckpt"))
    keys = [key for key, _ in tf.train.list_variables(path) if not key.startswith("_")]
    observe("keys", sorted(keys))
    var, opt, checkpoint = build()
    status = checkpoint.restore(path)
    observe("restored.scale", opt.loss_scale)
    observe("restored.counter", opt.dynamic_counter)
    observe("restored.var", var)
    opt.apply_gradients([(tf.constant(1.0), var)])
    status.assert_consumed()
observe("continued.scale", opt.loss_scale)
observe("continued.iterations", opt.iterations)
observe("continued.var", var)

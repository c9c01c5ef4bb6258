# SPDX-License-Identifier: Apache-2.0
"""Training stopped and gone on with from a checkpoint equals training in one go."""
# versions: 2.0 2.1 2.2 2.3 2.4
import os
import tempfile

import tensorflow as tf

from observe import observe

nan = float("nan")
gradients = [1.0, 2.0, nan, 3.0, 1.0, nan, 2.0, 1.0]


def build():
    var = tf.Variable([1.0, 2.0])
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.25, momentum=0.5), tf.train.experimental.DynamicLossScale(16.0, 2)
    )
    return var, opt, tf.train.Checkpoint(model=var, optimizer=opt)


def train(var, opt, steps):
    for gradient in steps:
        opt.apply_gradients([(tf.constant([gradient, 1.0]), var)])


def show(name, var, opt):
    observe(name + ".var", var)
    observe(name + ".slot_names", opt._optimizer.get_slot_names())
    if opt._optimizer.get_slot_names():
        observe(name + ".slot", opt._optimizer.get_slot(var, "momentum"))
    observe(name + ".scale", opt.get_scaled_loss(tf.constant(1.0)))


var, opt, _ = build()
train(var, opt, gradients)
show("in_one_go", var, opt)
with tempfile.TemporaryDirectory() as folder:
    var, opt, checkpoint = build()
    train(var, opt, gradients[:4])
    show("saved", var, opt)
    path = checkpoint.save(os.path.join(folder, "ckpt"))
    var, opt, checkpoint = build()
    status = checkpoint.restore(path)
    show("restored", var, opt)
    train(var, opt, gradients[4:])
    status.assert_consumed()
    show("continued", var, opt)

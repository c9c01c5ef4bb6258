# SPDX-License-Identifier: Apache-2.0
"""A run goes on from a checkpoint with an optimizer that is made by another function."""

import os
import tempfile

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer


def make(period):
    scale = tf.mixed_precision.experimental.DynamicLossScale(
        initial_loss_scale=32, increment_period=period
    )
    return LossScaleOptimizer(tf.keras.optimizers.Adam(0.5, beta_1=0.5), scale)


def run(var, opt, gradients):
    for gradient in gradients:
        opt.apply_gradients([(tf.constant(gradient), var)])
        print(var.numpy(), opt.loss_scale().numpy(), int(opt.iterations))


var, opt = tf.Variable(1.0), make(2)
run(var, opt, [1.0, 2.0, 3.0])
with tempfile.TemporaryDirectory() as folder:
    path = tf.train.Checkpoint(var=var, opt=opt).save(os.path.join(folder, "ckpt"))
    var, opt = tf.Variable(0.0), make(3)
    tf.train.Checkpoint(var=var, opt=opt).restore(path)
    run(var, opt, [1.0, float("nan"), 2.0])

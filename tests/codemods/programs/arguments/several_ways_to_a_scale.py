# SPDX-License-Identifier: Apache-2.0
"""The loss scale is a variable that several branches set."""

import os

import tensorflow as tf

for kind in ["dynamic", "fixed", "object", "none"]:
    if kind == "object":
        scale = tf.train.experimental.DynamicLossScale(4, 1)
    elif kind == "fixed":
        scale = float(os.environ.get("SCALE", 32))
    elif kind == "none":
        scale = None
    else:
        scale = kind
    opt = tf.keras.optimizers.SGD(0.25)
    if scale is not None:
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, scale)
    weight = tf.Variable(1.0)
    opt.apply_gradients([(tf.constant(1.0), weight)])
    print(kind, weight.numpy(), float(opt.loss_scale()) if scale else None)

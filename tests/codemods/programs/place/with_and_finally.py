# SPDX-License-Identifier: Apache-2.0
"""The optimizer is made within `with` and `try`, and read in `finally`."""

import contextlib

import tensorflow as tf

opt = None
weight = tf.Variable(1.0)
try:
    with contextlib.ExitStack() as stack, contextlib.suppress(KeyError):
        stack.callback(print, "closed")
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
            tf.keras.optimizers.SGD(0.25),
            loss_scale=tf.mixed_precision.experimental.DynamicLossScale(4, increment_period=1),
        )
        opt.apply_gradients([(tf.constant(1.0), weight)])
        raise KeyError
finally:
    print(weight.numpy(), None if opt is None else float(opt.loss_scale()))

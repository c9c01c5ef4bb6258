# SPDX-License-Identifier: Apache-2.0
"""The getter of flags as in the official models, and its caller."""

import types

import tensorflow as tf


def get_loss_scale(flags_obj, default_for_fp16):
    dtype = flags_obj.dtype
    if flags_obj.loss_scale == "dynamic":
        return flags_obj.loss_scale
    elif flags_obj.loss_scale is not None:
        return float(flags_obj.loss_scale)
    elif dtype in ("fp32", "bf16"):
        return 1
    else:
        return default_for_fp16


for given in (None, "dynamic", "64"):
    flags = types.SimpleNamespace(dtype="fp16", loss_scale=given)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.1), loss_scale=get_loss_scale(flags, default_for_fp16=128)
    )
    weight = tf.Variable(1.0)
    opt.apply_gradients([(tf.constant(float("inf")), weight)])
    print(given, float(opt.get_scaled_loss(tf.constant(1.0))), weight.numpy())

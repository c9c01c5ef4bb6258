# SPDX-License-Identifier: Apache-2.0
"""A function makes a loss scale object of either kind, or none."""

import tensorflow as tf


def make_loss_scale(params):
    if params["loss_scale"] == "dynamic":
        return tf.mixed_precision.experimental.DynamicLossScale(
            initial_loss_scale=params.get("init", 2 ** 15),  # as Apex
            increment_period=params.get("period", 2000),
        )
    if params["loss_scale"]:
        return tf.mixed_precision.experimental.FixedLossScale(params["loss_scale"])
    return None


def make_optimizer(params):
    optimizer = tf.keras.optimizers.Adam(params["lr"], epsilon=1e-6)
    loss_scale = make_loss_scale(params)
    if loss_scale is not None:
        optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, loss_scale)
    return optimizer


for params in (
    {"lr": 0.1, "loss_scale": "dynamic"},
    {"lr": 0.1, "loss_scale": "dynamic", "init": 8.0, "period": 1},
    {"lr": 0.1, "loss_scale": 100},
    {"lr": 0.1, "loss_scale": None},
):
    optimizer = make_optimizer(params)
    v = tf.Variable([1.0])
    optimizer.apply_gradients([(tf.constant([0.5]), v)])
    if params["loss_scale"]:
        print(type(optimizer).__name__, float(optimizer.loss_scale()), v.numpy().tolist())
    else:
        print(type(optimizer).__name__, v.numpy().tolist())

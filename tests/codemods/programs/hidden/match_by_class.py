# SPDX-License-Identifier: Apache-2.0
"""A match statement asks for the class, and for the kind of loss scale."""

import tensorflow as tf


def describe(opt):
    match opt:
        case tf.keras.mixed_precision.experimental.LossScaleOptimizer():
            return "scaled"
        case tf.keras.optimizers.SGD():
            return "plain"
        case _:
            return "other"


def scale_of(config):
    match config:
        case {"loss_scale": "dynamic"}:
            return "dynamic"
        case {"loss_scale": int() as number}:
            return number
    return None


for config in [{"loss_scale": "dynamic"}, {"loss_scale": 32}, {}]:
    opt = tf.keras.optimizers.SGD(0.25)
    if scale_of(config):
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, scale_of(config))
    print(describe(opt), opt.loss_scale().numpy() if describe(opt) == "scaled" else None)

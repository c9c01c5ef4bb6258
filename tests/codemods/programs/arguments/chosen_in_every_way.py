# SPDX-License-Identifier: Apache-2.0
"""Chooses the loss scale by an index, a key, a condition and `or`."""

import os

import tensorflow as tf

LSO = tf.keras.mixed_precision.experimental.LossScaleOptimizer


def scale_of(opt):
    return float(opt.get_scaled_loss(tf.constant(1.0)))


dynamic = True
print(scale_of(LSO(tf.keras.optimizers.SGD(), [128, "dynamic"][dynamic])))
print(scale_of(LSO(tf.keras.optimizers.SGD(), {"dynamic": "dynamic", "fixed": 64}["fixed"])))
print(scale_of(LSO(tf.keras.optimizers.SGD(), "dynamic" if not dynamic else 32)))
print(scale_of(LSO(tf.keras.optimizers.SGD(), int(os.environ.get("NO_SUCH_SCALE", 0)) or "dynamic")))
print(scale_of(LSO(tf.keras.optimizers.SGD(), str("dynamic"))))
print(scale_of(LSO(tf.keras.optimizers.SGD(), max(2, 2 ** 4))))

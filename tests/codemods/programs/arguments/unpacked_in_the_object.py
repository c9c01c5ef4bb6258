# SPDX-License-Identifier: Apache-2.0
"""A config file has the arguments of the loss scale object."""

import json

import tensorflow as tf

CONFIG = json.loads("""
{"optimizer": {"name": "adam", "args": {"learning_rate": 0.01, "beta_1": 0.8}},
 "amp": {"enabled": true, "kwargs": {"initial_loss_scale": 1024.0, "increment_period": 2, "multiplier": 2.0}}}
""")


def optimizer_from(config):
    table = {"adam": tf.keras.optimizers.Adam, "sgd": tf.keras.optimizers.SGD}
    optimizer = table[config["optimizer"]["name"]](**config["optimizer"]["args"])
    amp = config["amp"]
    if amp["enabled"]:
        loss_scale = tf.mixed_precision.experimental.DynamicLossScale(**amp["kwargs"])
        optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, loss_scale)
    return optimizer


optimizer = optimizer_from(CONFIG)
v = tf.Variable([1.0, 2.0])
for _ in range(4):
    optimizer.apply_gradients([(tf.constant([1.0, -1.0]), v)])
    print(float(optimizer.loss_scale()))
print(v.numpy().tolist(), float(optimizer.beta_1))

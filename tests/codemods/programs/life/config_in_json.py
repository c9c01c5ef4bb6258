# SPDX-License-Identifier: Apache-2.0
"""The config of a loss scale goes to a file."""

import json

import tensorflow as tf


def save_state(optimizer):
    state = {"iterations": int(optimizer.iterations)}
    if hasattr(optimizer, "loss_scale"):
        state["loss_scale"] = {
            "class": type(optimizer.loss_scale).__name__, **optimizer.loss_scale.get_config()}
    return json.dumps(state, sort_keys=True)


print(save_state(tf.keras.optimizers.SGD()))
print(save_state(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(), 4.0)))

# SPDX-License-Identifier: Apache-2.0
"""Modules that act are imported for names that are no longer needed."""

import tensorflow as tf
from lib.setup import set_policy, global_policy


def go():
    from lib.more import LossScaleOptimizer
    return LossScaleOptimizer(tf.keras.optimizers.SGD(1.0), "dynamic")


set_policy("float32")
print(type(go()).__name__, global_policy().name)
print(list(map(set_policy, ["float32"])))

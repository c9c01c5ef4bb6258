# SPDX-License-Identifier: Apache-2.0
"""A policy that is set by the function of the version at hand (starts with)."""

import tensorflow as tf


def use_half_precision():
    if tf.__version__.startswith("2.2.") or tf.__version__.startswith("2.3."):
        policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16")
        tf.keras.mixed_precision.experimental.set_policy(policy)
    else:
        tf.keras.mixed_precision.set_global_policy("mixed_float16")


use_half_precision()
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.kernel.dtype.name)

# SPDX-License-Identifier: Apache-2.0
"""A policy that is set by the function of the version at hand (parsed version)."""

import tensorflow as tf
from packaging import version


def use_half_precision():
    if version.parse(tf.__version__) < version.parse("2.4.0"):
        policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16")
        tf.keras.mixed_precision.experimental.set_policy(policy)
    else:
        tf.keras.mixed_precision.set_global_policy("mixed_float16")


use_half_precision()
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.kernel.dtype.name)

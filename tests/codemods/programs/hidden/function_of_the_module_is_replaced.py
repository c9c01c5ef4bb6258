# SPDX-License-Identifier: Apache-2.0
"""A function of the old module is replaced by one that calls it."""

import tensorflow as tf

real = tf.keras.mixed_precision.experimental.set_policy


def logged(name):
    print("set", name)
    return real(name)


tf.keras.mixed_precision.experimental.set_policy = logged
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
print(tf.keras.mixed_precision.experimental.global_policy().name)

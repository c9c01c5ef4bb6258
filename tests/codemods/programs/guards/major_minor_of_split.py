# SPDX-License-Identifier: Apache-2.0
"""A version guard by the parts of a split string, in a function that gives the module."""

import tensorflow as tf


def mixed_precision():
    major, minor = tf.__version__.split(".")[:2]
    if int(major) == 2 and int(minor) < 4:
        return tf.keras.mixed_precision.experimental
    return tf.keras.mixed_precision


def set_policy(name):
    mp = mixed_precision()
    (mp.set_policy if hasattr(mp, "set_policy") else mp.set_global_policy)(name)


set_policy("mixed_float16")
print(mixed_precision().global_policy().name)
opt = tf.keras.optimizers.SGD(0.5)
print(opt.get_config()["name"])

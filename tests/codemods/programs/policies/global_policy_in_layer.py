# SPDX-License-Identifier: Apache-2.0
"""A layer of the program's own asks for the global policy."""

import tensorflow as tf


class Twice(tf.keras.layers.Layer):
    def call(self, x):
        return tf.cast(x, tf.keras.mixed_precision.experimental.global_policy().compute_dtype) * 2


tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
print(Twice()(tf.ones([1])).dtype.name)

# SPDX-License-Identifier: Apache-2.0
"""A policy is printed and compared."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
one = mp.Policy("mixed_float16")
print(one, repr(one), str(mp.Policy("float32")))
mp.set_policy("mixed_float16")
print(mp.global_policy(), mp.global_policy().name == one.name)
print(tf.keras.layers.Dense(1).dtype, one.get_config())

# SPDX-License-Identifier: Apache-2.0
"""The policy is set back to the default by None, and given to a layer."""

import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
d = tf.keras.layers.Dense(2, dtype=tf.keras.mixed_precision.experimental.Policy("float32"))
print(tf.keras.mixed_precision.experimental.get_layer_policy(d).name, d._dtype_policy.name)
tf.keras.mixed_precision.experimental.set_policy(None)
print(tf.keras.mixed_precision.experimental.global_policy().name)

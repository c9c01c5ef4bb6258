# SPDX-License-Identifier: Apache-2.0
"""The policy's name is in a variable."""

import tensorflow as tf

for name in ("mixed_float16", "float32"):
    policy = tf.keras.mixed_precision.experimental.Policy(name)
    tf.keras.mixed_precision.experimental.set_policy(policy)
    layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
    print(layer(tf.ones([1, 2])).dtype.name, policy.compute_dtype, policy.variable_dtype)

# SPDX-License-Identifier: Apache-2.0
"""Compares the parts of the version as a list of strings."""

import tensorflow as tf

if tf.__version__.split(".")[:2] < ["2", "4"]:
    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
    print("old")
else:
    tf.keras.mixed_precision.set_global_policy("mixed_bfloat16")
    print("new")
print(tf.keras.layers.Dense(1).compute_dtype)

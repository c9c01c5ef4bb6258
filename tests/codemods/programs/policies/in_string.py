# SPDX-License-Identifier: Apache-2.0
"""Compares the policy's name."""

import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
if tf.keras.mixed_precision.experimental.global_policy().name == "mixed_float16":
    print("half")

# SPDX-License-Identifier: Apache-2.0
"""A package offers the module under a name of its own."""

import tensorflow as tf
from precision import mixed_precision

mixed_precision.set_policy("mixed_float16")
print(mixed_precision.global_policy().name, tf.keras.layers.Dense(1).compute_dtype)

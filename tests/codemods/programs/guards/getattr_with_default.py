# SPDX-License-Identifier: Apache-2.0
"""Takes the experimental module, or the module itself."""

import tensorflow as tf

mp = getattr(tf.keras.mixed_precision, "experimental", tf.keras.mixed_precision)
set_policy = getattr(mp, "set_policy", None) or mp.set_global_policy
set_policy("mixed_float16")
print(tf.keras.layers.Dense(1).compute_dtype)

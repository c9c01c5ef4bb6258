# SPDX-License-Identifier: Apache-2.0
"""The policy's name is a conditional expression."""

import tensorflow as tf

use_fp16 = True
policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16" if use_fp16 else "float32")
tf.keras.mixed_precision.experimental.set_policy(policy)
print(tf.keras.mixed_precision.experimental.global_policy().name)

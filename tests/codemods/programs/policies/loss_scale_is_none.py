# SPDX-License-Identifier: Apache-2.0
"""Asks whether a policy has a loss scale."""

import tensorflow as tf

for name in ("mixed_float16", "float32", "mixed_bfloat16"):
    policy = tf.keras.mixed_precision.experimental.Policy(name)
    print(name, policy.loss_scale is None)

# SPDX-License-Identifier: Apache-2.0
"""Reads a policy's loss scale."""

import tensorflow as tf

policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=8)
print(float(policy.loss_scale()))

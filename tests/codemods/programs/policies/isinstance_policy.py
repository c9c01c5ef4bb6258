# SPDX-License-Identifier: Apache-2.0
"""Asks whether something is a policy."""

import tensorflow as tf

policy = tf.keras.mixed_precision.experimental.Policy("float32")
print(isinstance(policy, tf.keras.mixed_precision.experimental.Policy), isinstance("float32", tf.keras.mixed_precision.experimental.Policy))

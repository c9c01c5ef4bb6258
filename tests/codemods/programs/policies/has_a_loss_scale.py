# SPDX-License-Identifier: Apache-2.0
"""Policies are compared, and asked whether they have a loss scale."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
a, b = mp.Policy("mixed_float16"), mp.Policy("mixed_float16")
mp.set_policy(a)
print(mp.global_policy() is a, a.name == b.name, a.loss_scale is None, type(a).__name__ in ("Policy", "PolicyV1"))
print(isinstance(mp.global_policy(), mp.Policy), hasattr(a, "loss_scale"))

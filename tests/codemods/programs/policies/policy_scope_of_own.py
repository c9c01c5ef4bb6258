# SPDX-License-Identifier: Apache-2.0
"""A context manager of the program's own sets and restores the policy."""

import contextlib

import tensorflow as tf


@contextlib.contextmanager
def policy_scope(name):
    before = tf.keras.mixed_precision.experimental.global_policy()
    tf.keras.mixed_precision.experimental.set_policy(name)
    yield
    tf.keras.mixed_precision.experimental.set_policy(before)


with policy_scope("mixed_float16"):
    print(tf.keras.layers.Dense(1).compute_dtype)
print(tf.keras.layers.Dense(1).compute_dtype)

# SPDX-License-Identifier: Apache-2.0
"""Reads a member that is gone."""

import tensorflow as tf

print(tf.keras.mixed_precision.experimental.Policy("mixed_float16").should_cast_variables)

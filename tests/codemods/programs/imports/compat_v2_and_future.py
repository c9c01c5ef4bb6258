# SPDX-License-Identifier: Apache-2.0
"""The spelling of the official models: compat.v2 under the name tf, and imports from the future."""

from __future__ import absolute_import, division, print_function

import tensorflow.compat.v2 as tf

tf.compat.v2.keras.mixed_precision.experimental.set_policy("mixed_float16")
opt = tf.compat.v1.mixed_precision
print(opt is not None)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.compat.v2.keras.optimizers.Adam(0.1), 8)
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(8.0), weight)])
print(weight.numpy(), tf.keras.mixed_precision.experimental.global_policy().name)
tf.keras.backend.clear_session()

# SPDX-License-Identifier: Apache-2.0
"""The policy is set where a module is imported."""

import tensorflow as tf
from setup_amp import mp

opt = mp.LossScaleOptimizer(tf.keras.optimizers.Adam(0.5, decay=0.5), "dynamic")
layer = tf.keras.layers.Dense(1)
print(layer.compute_dtype, type(opt).__name__)

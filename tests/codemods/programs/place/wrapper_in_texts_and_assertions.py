# SPDX-License-Identifier: Apache-2.0
"""Constructors in f-strings, assertions and one-line blocks."""

import tensorflow as tf

LSO = tf.keras.mixed_precision.experimental.LossScaleOptimizer
print(f"{float(LSO(tf.keras.optimizers.SGD(0.1), 16).loss_scale()):.1f} {LSO(tf.keras.optimizers.SGD(), loss_scale='dynamic').loss_scale().numpy()}")
assert isinstance(LSO(tf.keras.optimizers.SGD(), 2), (LSO, tf.keras.optimizers.Optimizer)), f"not {LSO.__name__}"
with tf.name_scope("opt"): opt = LSO(tf.keras.optimizers.SGD(), 4); print(float(opt.loss_scale())); opt2 = LSO(tf.keras.optimizers.Adam(), "dynamic")
print(opt2.__class__.__name__, float(opt2.loss_scale()))

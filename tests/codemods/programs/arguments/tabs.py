# SPDX-License-Identifier: Apache-2.0
"""A file with tabs."""

import tensorflow as tf


def build(scale):
	opt = tf.keras.optimizers.SGD(0.1)
	return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, scale)


for s in ("dynamic", 8):
	print(float(build(s).loss_scale()))

# SPDX-License-Identifier: Apache-2.0
"""The scale goes into a formatted text."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 512)
print("loss scale: {:.1f}".format(opt.loss_scale().numpy()))
print(f"loss scale: {opt.loss_scale().numpy():.0f}")
print("loss scale: %d" % opt.loss_scale())

# SPDX-License-Identifier: Apache-2.0
"""The loss scale object in texts."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), 128)
print("loss scale: %s" % opt.loss_scale)
print("loss scale:", opt.loss_scale)
print("loss scale: {}".format(opt.loss_scale()))
print("loss scale: " + str(opt.loss_scale))
print(opt.loss_scale.__class__.__name__)

# SPDX-License-Identifier: Apache-2.0
"""A member of the optimizer's family: hyper."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25, momentum=0.5), "dynamic")
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
print(float(opt._optimizer._get_hyper("momentum")))

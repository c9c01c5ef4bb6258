# SPDX-License-Identifier: Apache-2.0
"""A file beside the one with loss scaling has such names, and no old ones."""

import tensorflow as tf

from batches import Batches, batches

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(1.0)
for gradient in batches():
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy(), issubclass(list, Batches))

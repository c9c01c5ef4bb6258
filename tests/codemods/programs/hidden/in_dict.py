# SPDX-License-Identifier: Apache-2.0
"""The optimizers are held in a dictionary."""

import tensorflow as tf

opts = {"generator": tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)}
opts["discriminator"] = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 128)
print(opts["generator"].loss_scale().numpy())
print([opt.loss_scale().numpy() for opt in opts.values()])

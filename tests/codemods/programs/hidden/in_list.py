# SPDX-License-Identifier: Apache-2.0
"""The optimizers are held in a list."""

import tensorflow as tf

opts = [tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)]
opts.append(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic"))
for opt in opts:
    print(opt.loss_scale().numpy())
print(opts[0].loss_scale().numpy(), opts[-1].loss_scale().numpy())

# SPDX-License-Identifier: Apache-2.0
"""Arguments are unpacked from literals that stand in the call."""

import tensorflow as tf

LSO = tf.keras.mixed_precision.experimental.LossScaleOptimizer
first = LSO(**{"optimizer": tf.keras.optimizers.SGD(0.25), "loss_scale": 64})
second = LSO(tf.keras.optimizers.SGD(0.25), *[32])
third = LSO(*(tf.keras.optimizers.SGD(0.25), "dynamic"))
for opt in [first, second, third]:
    print(opt.loss_scale().numpy())

# SPDX-License-Identifier: Apache-2.0
"""Comments at every argument."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
opt = mp.LossScaleOptimizer(
    # the optimizer
    tf.keras.optimizers.SGD(  # plain
        0.1,  # rate
        # no momentum
    ),
    # the scale:
    loss_scale=tf.mixed_precision.experimental.DynamicLossScale(
        # where it starts
        2 ** 10,  # small
        increment_period=100,  # soon
        multiplier=2.0,  # the default
    ),  # end of scale
)
print(float(opt.loss_scale(  # now
)))
opt2 = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1),  # first
                             "dynamic")  # second
print(float(opt2.loss_scale()))

# SPDX-License-Identifier: Apache-2.0
"""The loss scale is assigned within the call, and used behind it."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25), (scale := 2 ** 6)
)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(scale, opt.loss_scale().numpy() == scale)

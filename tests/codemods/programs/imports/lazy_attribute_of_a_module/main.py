# SPDX-License-Identifier: Apache-2.0
"""A module of the project imports the old module when it is asked for."""

import tensorflow as tf
import lazy

lazy.precision.set_policy("float32")
opt = lazy.precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale=8)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(opt.loss_scale().numpy())

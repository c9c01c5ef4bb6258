# SPDX-License-Identifier: Apache-2.0
"""A star import of the project, with `__all__`, brings in the old names."""

import tensorflow as tf
from precision import *

setup()
opt = LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), DynamicLossScale(16, 1))

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(opt.loss_scale().numpy(), global_policy().name)

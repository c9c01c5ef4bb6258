# SPDX-License-Identifier: Apache-2.0
"""A package offers the old module under a short name."""

import mypackage
import tensorflow as tf
from mypackage.training import make

mypackage.mp.set_policy("float32")
opt = make(mypackage.mp.LossScaleOptimizer, tf.keras.optimizers.SGD(0.25))

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(opt.loss_scale().numpy(), mypackage.mp.global_policy().name)

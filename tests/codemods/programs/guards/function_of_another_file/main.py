# SPDX-License-Identifier: Apache-2.0
"""A function in another file compares versions, and is negated here."""

import tensorflow as tf
from compat import before

opt = tf.keras.optimizers.SGD(0.25)
if not before("2.4"):
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt, dynamic=False, initial_scale=8)
else:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 8)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

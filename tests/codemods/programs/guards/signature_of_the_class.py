# SPDX-License-Identifier: Apache-2.0
"""The parameters of the class say which of two calls is made."""

import inspect

import tensorflow as tf

try:
    from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
except ImportError:
    from tensorflow.keras.mixed_precision import LossScaleOptimizer

opt = tf.keras.optimizers.SGD(0.25)
if "loss_scale" in inspect.signature(LossScaleOptimizer.__init__).parameters:
    opt = LossScaleOptimizer(opt, loss_scale=8)
else:
    opt = LossScaleOptimizer(opt, dynamic=False, initial_scale=8)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

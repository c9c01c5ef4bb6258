# SPDX-License-Identifier: Apache-2.0
"""Functions that are defined by version."""

import tensorflow as tf
from packaging import version

if version.parse(tf.__version__) < version.parse("2.4"):

    def wrap(opt):
        return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")

    def scale_of(opt):
        return opt.loss_scale().numpy()

else:

    def wrap(opt):
        return tf.keras.mixed_precision.LossScaleOptimizer(opt)

    def scale_of(opt):
        return opt.loss_scale.numpy()


opt = wrap(tf.keras.optimizers.SGD(0.25))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
print(scale_of(opt))

# SPDX-License-Identifier: Apache-2.0
"""Three branches, of which the middle one is for old versions."""

import os

import tensorflow as tf
from packaging.version import Version

V = Version(tf.__version__)
opt = tf.keras.optimizers.SGD(0.25)
if os.environ.get("NO_AMP"):
    pass
elif V < Version("2.4.0"):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
else:
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt, dynamic=False, initial_scale=8)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
print(float(opt.loss_scale))

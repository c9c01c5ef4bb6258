# SPDX-License-Identifier: Apache-2.0
"""What is imported is chosen by a variable of the environment."""

import os

import tensorflow as tf

if os.environ.get("NO_HALF_PRECISION"):
    mp = None
else:
    import tensorflow.keras.mixed_precision.experimental as mp

opt = tf.keras.optimizers.SGD(0.25)
if mp is not None:
    mp.set_policy("float32")
    opt = mp.LossScaleOptimizer(opt, "dynamic")

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(opt.loss_scale().numpy() if mp else None)

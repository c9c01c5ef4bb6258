# SPDX-License-Identifier: Apache-2.0
"""A registry of classes in one file, filled in another, is called in a third."""

import tensorflow as tf
import wrappers
from registry import build

opt = build("scaled", tf.keras.optimizers.SGD(0.25), loss_scale=16)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(opt.loss_scale().numpy(), wrappers.COUNT)

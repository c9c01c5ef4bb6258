# SPDX-License-Identifier: Apache-2.0
"""A program without loss scaling tests the optimizers that one with it uses."""

import tensorflow as tf
from optim import make

print(isinstance(make("adam"), tf.keras.optimizers.Adam), isinstance(make("sgd"), tf.keras.optimizers.SGD))
weight = tf.Variable(1.0)
opt = make("adam")
for gradient in [1.0, 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy())

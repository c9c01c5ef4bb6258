# SPDX-License-Identifier: Apache-2.0
"""Functions of numpy that have other names today, or are to be written in another way."""

import numpy as np
import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(np.asscalar(np.ones(1, "float32")))
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())
values = np.array([[3, 1], [2, 4]])
print(np.product(values), np.cumproduct(values), np.alltrue(values > 0), np.sometrue(values > 3))
print(np.round_(1.26, 1), np.row_stack([values, values]), np.msort(values), np.asfarray([1, 2]).dtype)
print(np.in1d(values, [1, 4]), np.in1d([1, 2], [2]), np.trapz([1, 2, 3]), np.rank(values))
print(np.math.floor(2.5), np.mat([[1]]), np.asscalar(
    np.sum(values),  # All of them.
))

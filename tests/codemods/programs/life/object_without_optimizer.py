# SPDX-License-Identifier: Apache-2.0
"""A loss scale object without any optimizer."""

import tensorflow as tf

scale = tf.train.experimental.DynamicLossScale(64, 2)
weight = tf.constant(3.0)
print((weight * scale()).numpy())
for gradient in (1.0, 1.0, float("inf")):
    _, finite = scale.update([tf.constant(gradient)])
    print(bool(finite), scale().numpy())

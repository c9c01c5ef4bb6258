# SPDX-License-Identifier: Apache-2.0
"""A parameter holds the optimizer, and the function is called with either."""

import tensorflow as tf


def wrap(opt):
    return tf.compat.v1.train.experimental.enable_mixed_precision_graph_rewrite(opt)


print(type(wrap(tf.keras.optimizers.SGD(0.25))).__name__.startswith("LossScaleOptimizer"))
tf.train.experimental.disable_mixed_precision_graph_rewrite()
print(type(wrap(tf.compat.v1.train.GradientDescentOptimizer(0.25))).__name__)

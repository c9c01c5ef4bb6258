# SPDX-License-Identifier: Apache-2.0
"""Optimizers that are told apart by the names of their classes."""

import tensorflow as tf

plain = tf.keras.optimizers.SGD(0.25)
opts = [
    tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.25), 8),
    tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer(
        tf.compat.v1.train.GradientDescentOptimizer(0.25), 8
    ),
    tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25)),
    plain,
]
for opt in opts:
    print(type(opt).__name__ == "LossScaleOptimizer", opt.__class__.__name__ != "LossScaleOptimizer")

# SPDX-License-Identifier: Apache-2.0
"""The graph rewrite refuses what is wrapped already."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
try:
    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
    print("taken")
except ValueError:
    print("refused")

# SPDX-License-Identifier: Apache-2.0
"""Asks for the graph rewrite."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
if hasattr(tf.train.experimental, "enable_mixed_precision_graph_rewrite"):
    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, 8)

weight = tf.Variable(1.0)
for gradient in [1.0, float("inf"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

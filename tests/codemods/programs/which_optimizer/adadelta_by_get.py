# SPDX-License-Identifier: Apache-2.0
"""Optimizers by name and by config, given to the graph rewrite of TensorFlow 2 under its v1 path."""

import tensorflow as tf

tf1 = tf.compat.v1
for given in ("adadelta", {"class_name": "SGD", "config": {"learning_rate": 0.5}}):
    opt = tf1.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.get(given), 8)
    weight = tf.Variable(1.0)
    opt.apply_gradients([(tf.constant(8.0), weight)])
    print(type(opt).__name__, weight.numpy())

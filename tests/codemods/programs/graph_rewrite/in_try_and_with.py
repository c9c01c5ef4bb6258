# SPDX-License-Identifier: Apache-2.0
"""The graph rewrite is turned on within `try` and `with`."""

import contextlib

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
with contextlib.suppress(ValueError):
    try:
        opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale=8)
        opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale=8)
    finally:
        print(type(opt).__name__)
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
print(weight.numpy(), tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))

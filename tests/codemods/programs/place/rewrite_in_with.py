# SPDX-License-Identifier: Apache-2.0
"""The graph rewrite in a `with`."""

import tensorflow as tf

with tf.name_scope("amp"):
    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25))
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

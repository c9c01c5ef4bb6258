# SPDX-License-Identifier: Apache-2.0
"""Two optimizers, each through the graph rewrite."""

import tensorflow as tf

generator = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25), "dynamic")
discriminator = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.5), 16)
weight = tf.Variable(1.0)
for opt in (generator, discriminator):
    opt.apply_gradients([(tf.constant(1.0), weight)])
    print(opt.get_scaled_loss(tf.constant(1.0)).numpy(), weight.numpy())

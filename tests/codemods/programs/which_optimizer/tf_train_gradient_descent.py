# SPDX-License-Identifier: Apache-2.0
"""An optimizer of TensorFlow 1 through tf.train.experimental."""

import tensorflow as tf

opt = tf.compat.v1.train.GradientDescentOptimizer(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for factor in (1.0, 2.0):
    opt.minimize(lambda: factor * weight * weight, var_list=[weight])
    print(weight.numpy())

# SPDX-License-Identifier: Apache-2.0
"""The graph rewrite on the line of its `if`."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
if True: opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

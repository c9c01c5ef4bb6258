# SPDX-License-Identifier: Apache-2.0
"""The graph rewrite is the body of a lambda."""

import tensorflow as tf

wrap = lambda opt: tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
opt = tf.keras.optimizers.SGD(0.25)
if True:
    opt = wrap(opt)
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

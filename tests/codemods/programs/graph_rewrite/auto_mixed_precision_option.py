# SPDX-License-Identifier: Apache-2.0
"""The option that the graph rewrite sets, set by hand beside it."""

import tensorflow as tf

tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True, "constant_folding": True})
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(sorted(tf.config.optimizer.get_experimental_options().items()))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

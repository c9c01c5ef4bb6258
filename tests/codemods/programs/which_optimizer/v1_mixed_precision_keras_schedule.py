# SPDX-License-Identifier: Apache-2.0
"""A Keras optimizer (schedule) through tf.compat.v1.mixed_precision."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(tf.keras.optimizers.schedules.ExponentialDecay(0.5, 1, 0.5))
opt = tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic")
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

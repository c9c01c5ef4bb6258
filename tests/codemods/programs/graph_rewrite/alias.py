# SPDX-License-Identifier: Apache-2.0
"""The function has a short name."""

import tensorflow as tf

amp = tf.train.experimental.enable_mixed_precision_graph_rewrite
opt = amp(tf.keras.optimizers.SGD(0.25))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

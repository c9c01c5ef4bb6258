# SPDX-License-Identifier: Apache-2.0
"""A function returns the rewritten optimizer, or the other."""

import tensorflow as tf


def optimizer(amp):
    opt = tf.keras.optimizers.SGD(0.25)
    return tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, "dynamic") if amp else opt


opt = optimizer(True)
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

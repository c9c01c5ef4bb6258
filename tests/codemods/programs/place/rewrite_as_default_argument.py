# SPDX-License-Identifier: Apache-2.0
"""The rewritten optimizer is a default argument."""

import tensorflow as tf


def train(weight, opt=tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25))):
    opt.apply_gradients([(tf.constant(1.0), weight)])
    return weight.numpy()


print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
print(train(tf.Variable(1.0)))

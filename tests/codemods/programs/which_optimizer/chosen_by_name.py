# SPDX-License-Identifier: Apache-2.0
"""A function chooses between optimizers of Keras and of TensorFlow 1."""

import tensorflow as tf


def optimizer(name):
    if name == "keras":
        return tf.keras.optimizers.SGD(0.25)
    return tf.compat.v1.train.GradientDescentOptimizer(0.25)


opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(optimizer("keras"))
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

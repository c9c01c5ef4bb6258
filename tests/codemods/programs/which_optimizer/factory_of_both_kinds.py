# SPDX-License-Identifier: Apache-2.0
"""A factory makes optimizers of both kinds."""

import tensorflow.compat.v1 as tf

tf.enable_eager_execution()


def get_optimizer(name, lr):
    if name == "momentum":
        return tf.train.MomentumOptimizer(lr, 0.9)
    return tf.keras.optimizers.SGD(lr, 0.9)


def with_amp(opt):
    return tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)


opt = with_amp(get_optimizer("keras", 0.5))
v = tf.Variable([1.0])
opt.apply_gradients([(tf.constant([1.0]), v)])
print(type(opt).__name__, v.numpy().tolist())

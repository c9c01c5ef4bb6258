# SPDX-License-Identifier: Apache-2.0
"""The rewrite in a function with an early return, whose flag is a variable of the environment."""

import os

import tensorflow as tf


def maybe_mixed(opt):
    if os.environ.get("TF_ENABLE_AUTO_MIXED_PRECISION", "1") != "1":
        return opt
    return tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, float(os.environ.get("SCALE", 256)))


opt = maybe_mixed(tf.keras.optimizers.Adagrad(0.5))
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(256.0), weight)])
print(weight.numpy(), float(opt.loss_scale()))

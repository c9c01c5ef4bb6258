# SPDX-License-Identifier: Apache-2.0
"""The environment names the optimizer."""

import os

import tensorflow as tf

name = os.environ.get("MY_OPTIMIZER_OF_TODAY", "nadam")
opt = tf.keras.optimizers.get(name)
opt.learning_rate = 0.25
if os.environ.get("TF_ENABLE_MY_AMP", "1") == "1":
    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, "dynamic")
v = tf.Variable([1.0])
opt.apply_gradients([(tf.constant([1.0]), v)])
print(v.numpy().tolist(), type(opt).__name__, opt._optimizer.get_config()["name"])

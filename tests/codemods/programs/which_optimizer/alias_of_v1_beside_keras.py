# SPDX-License-Identifier: Apache-2.0
"""The v1 function gets a Keras optimizer, and is switched off."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.keras import optimizers

opt = optimizers.Adam(0.1)
opt = tf1.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale=128)
v = tf.Variable([1.0])
with tf.GradientTape() as tape:
    loss = opt.get_scaled_loss(v * v)
(g,) = opt.get_unscaled_gradients(tape.gradient(loss, [v]))
opt.apply_gradients([(g, v)])
print(v.numpy().tolist(), float(opt.loss_scale()), type(opt).__name__)
tf1.train.experimental.disable_mixed_precision_graph_rewrite()
print(bool(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision")))

# SPDX-License-Identifier: Apache-2.0
"""The function is handed to `map`."""

import tensorflow as tf

opts = list(map(tf.train.experimental.enable_mixed_precision_graph_rewrite, [tf.keras.optimizers.SGD(0.25), tf.keras.optimizers.SGD(0.5)]))
print(len(opts), opts[0].get_scaled_loss(tf.constant(1.0)).numpy())

# SPDX-License-Identifier: Apache-2.0
"""Other options of the graph optimizer stay."""

import tensorflow as tf

tf.config.optimizer.set_experimental_options({"constant_folding": False})
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25))
print(sorted(tf.config.optimizer.get_experimental_options().items()))

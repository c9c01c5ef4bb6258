# SPDX-License-Identifier: Apache-2.0
"""The graph rewrite is called for what it switches on."""

import tensorflow as tf

tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25))
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))

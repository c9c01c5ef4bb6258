# SPDX-License-Identifier: Apache-2.0
"""Options of the graph optimizer are set behind the rewrite."""

import tensorflow as tf

opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25))
tf.config.optimizer.set_experimental_options({"constant_folding": False})
options = tf.config.optimizer.get_experimental_options()
print(options.get("constant_folding"), options.get("auto_mixed_precision"))
tf.train.experimental.disable_mixed_precision_graph_rewrite()
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))

# SPDX-License-Identifier: Apache-2.0
"""The graph rewrite is called for each optimizer of a list."""

import tensorflow as tf

rates = [0.25, 0.5] if True else []
opts = [tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(rate)) for rate in rates]
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
print([type(opt).__name__ for opt in opts if hasattr(opt, "get_scaled_loss")] == [])
print(len(opts))

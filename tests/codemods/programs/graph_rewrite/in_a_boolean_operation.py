# SPDX-License-Identifier: Apache-2.0
"""The rewrite runs only where a flag is set, by `and` and `or`."""

import tensorflow as tf

for amp in (False, True):
    tf.config.optimizer.set_experimental_options({"auto_mixed_precision": False})
    opt = tf.keras.optimizers.SGD(0.5)
    opt = amp and tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, 4) or opt
    print(hasattr(opt, "get_scaled_loss"), tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))

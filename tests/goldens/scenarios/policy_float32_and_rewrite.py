# SPDX-License-Identifier: Apache-2.0
"""A float32 policy set by hand, and the graph rewrite after it."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe_error

tf.keras.mixed_precision.experimental.set_policy("float32")
observe_error(
    "enable",
    lambda: tf.train.experimental.enable_mixed_precision_graph_rewrite(
        tf.keras.optimizers.SGD(1.0)
    ),
)

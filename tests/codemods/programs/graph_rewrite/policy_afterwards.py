# SPDX-License-Identifier: Apache-2.0
"""A mixed policy after the graph rewrite is refused."""

import tensorflow as tf

opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25))
try:
    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
    print("set")
except ValueError:
    print("refused")

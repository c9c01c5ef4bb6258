# SPDX-License-Identifier: Apache-2.0
"""What the graph rewrite refuses of v1 optimizers."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe_error

tf.disable_v2_behavior()
exp = tf.train.experimental
wrapped = exp.MixedPrecisionLossScaleOptimizer(tf.train.GradientDescentOptimizer(1.0), 8)
observe_error("wrapped", lambda: exp.enable_mixed_precision_graph_rewrite(wrapped))
observe_error("number", lambda: exp.enable_mixed_precision_graph_rewrite(5))
observe_error(
    "text",
    lambda: exp.enable_mixed_precision_graph_rewrite(tf.train.GradientDescentOptimizer(1.0), "foo"),
)
observe_error(
    "small",
    lambda: exp.enable_mixed_precision_graph_rewrite(tf.train.GradientDescentOptimizer(1.0), 0.5),
)

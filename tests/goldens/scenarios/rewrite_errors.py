# SPDX-License-Identifier: Apache-2.0
"""What the graph rewrite refuses: wrapped optimizers, and things that are no optimizers."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe_error

enable = tf.train.experimental.enable_mixed_precision_graph_rewrite
wrapped = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(), 8)
observe_error("wrapped", lambda: enable(wrapped))
observe_error("number", lambda: enable(5))
observe_error("none", lambda: enable(None))
observe_error("text", lambda: enable(tf.keras.optimizers.SGD(), loss_scale="foo"))

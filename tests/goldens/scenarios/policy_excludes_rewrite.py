# SPDX-License-Identifier: Apache-2.0
"""Under a mixed policy the graph rewrite is refused, and stays off."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe, observe_error

mp = tf.keras.mixed_precision.experimental
enable = tf.train.experimental.enable_mixed_precision_graph_rewrite
mp.set_policy("mixed_float16")
observe_error("keras", lambda: enable(tf.keras.optimizers.SGD(1.0)))
options = tf.config.optimizer.get_experimental_options()
observe("option", options.get("auto_mixed_precision", False))
mp.set_policy(mp.Policy("mixed_bfloat16"))
observe_error("bfloat16", lambda: enable(tf.keras.optimizers.SGD(1.0)))

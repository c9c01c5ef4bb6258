# SPDX-License-Identifier: Apache-2.0
"""After the graph rewrite even a float32 policy was refused, up to 2.2."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe_error

mp = tf.keras.mixed_precision.experimental
tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(1.0))
observe_error("float32", lambda: mp.set_policy("float32"))

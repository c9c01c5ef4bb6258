# SPDX-License-Identifier: Apache-2.0
"""After the graph rewrite a mixed policy cannot be set, until the rewrite is disabled."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe, observe_error

mp = tf.keras.mixed_precision.experimental
tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(1.0))
observe_error("mixed_float16", lambda: mp.set_policy("mixed_float16"))
observe_error("object", lambda: mp.set_policy(mp.Policy("mixed_float16", loss_scale=8)))
observe("policy", mp.global_policy().name)
tf.train.experimental.disable_mixed_precision_graph_rewrite()
observe_error("disabled", lambda: mp.set_policy("mixed_float16"))
observe("policy_then", mp.global_policy().name)

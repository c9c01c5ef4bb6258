# SPDX-License-Identifier: Apache-2.0
"""The rewrite sets the auto_mixed_precision option; disabling takes it back."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe, observe_error


def option():
    return tf.config.optimizer.get_experimental_options().get("auto_mixed_precision", False)


enable = tf.train.experimental.enable_mixed_precision_graph_rewrite
disable = tf.train.experimental.disable_mixed_precision_graph_rewrite
observe("start", option())
enable(tf.keras.optimizers.SGD(1.0))
observe("enabled", option())
disable()
observe("disabled", option())
observe_error("disable_again", lambda: disable())
observe_error("wrong", lambda: enable(5))
observe("after_wrong", option())
enable(tf.keras.optimizers.SGD(1.0), loss_scale=8)
enable(tf.keras.optimizers.SGD(1.0), loss_scale=8)
observe("twice", option())
disable()
observe("disabled_once", option())

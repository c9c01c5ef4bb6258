# SPDX-License-Identifier: Apache-2.0
"""What is evaluated around the graph rewrite sees it."""

import tensorflow as tf


def note(value, what):
    print(what, bool(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision")))
    return value


rewrite = tf.train.experimental.enable_mixed_precision_graph_rewrite
parts = {
    "a": note(1, "before"),
    "opt": rewrite(tf.keras.optimizers.SGD(note(0.1, "inside"))),
    "b": note(2, "after"),
}
print(type(parts["opt"]).__name__, float(parts["opt"].get_scaled_loss(tf.constant(1.0))))

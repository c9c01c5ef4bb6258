# SPDX-License-Identifier: Apache-2.0
"""A function turns the rewrite on for any optimizer, and reads the scale of it."""

import tensorflow as tf


def amp(optimizer, enabled=True, loss_scale="dynamic"):
    if not enabled:
        return optimizer
    return tf.train.experimental.enable_mixed_precision_graph_rewrite(optimizer, loss_scale)


var = tf.Variable(1.0)
for opt in (amp(tf.keras.optimizers.Adam(0.5), loss_scale=16.0), amp(tf.keras.optimizers.SGD(0.5), False)):
    opt.apply_gradients([(tf.constant(1.0), var)])
    print(var.numpy(), hasattr(opt, "get_scaled_loss"))

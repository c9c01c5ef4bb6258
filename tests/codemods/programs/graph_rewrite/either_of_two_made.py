# SPDX-License-Identifier: Apache-2.0
"""The optimizer is made on both sides of a condition, and wrapped on one."""

import tensorflow as tf


def amp(wanted):
    print("asked", wanted)
    return wanted


weight = tf.Variable(1.0)
for wanted in [True, False]:
    opt = (
        tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25))
        if amp(wanted)
        else tf.keras.optimizers.SGD(0.5)
    )
    print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
    opt.apply_gradients([(tf.constant(0.5), weight)])
    print(weight.numpy(), "loss scale" if hasattr(opt, "get_scaled_loss") else "none")

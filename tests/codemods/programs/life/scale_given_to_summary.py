# SPDX-License-Identifier: Apache-2.0
"""The loss scale goes into a summary, under a conditional expression."""

import tensorflow as tf

mixed = True
opt = tf.keras.optimizers.SGD(0.5)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic") if mixed else opt
logged = {}


def scalar(name, value, step):
    logged.setdefault(name, []).append((step, float(value)))


weight = tf.Variable(1.0)
for step in range(3):
    opt.apply_gradients([(tf.constant(float("nan") if step == 1 else 1.0), weight)])
    scalar("scale", opt.loss_scale() if mixed else 1.0, step=step)
    scalar("rate", opt.lr if hasattr(opt, "lr") else 0.0, step)
print(logged)

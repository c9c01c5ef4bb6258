# SPDX-License-Identifier: Apache-2.0
"""A template is filled, and run under another name."""

import tensorflow as tf

TEMPLATE = "opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD({lr}), {scale!r})"
run = exec
run(TEMPLATE.format(lr=0.1, scale=8))
print(opt.loss_scale().numpy())

# SPDX-License-Identifier: Apache-2.0
"""Optimizers go through `zip` and `enumerate`."""

import tensorflow as tf

opts = [tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), scale) for scale in (2, 4)]
for number, (opt, name) in enumerate(zip(opts, "ab")):
    print(number, name, opt.loss_scale().numpy())

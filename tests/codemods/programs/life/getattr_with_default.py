# SPDX-License-Identifier: Apache-2.0
"""The loss scale of an optimizer that may have none."""

import tensorflow as tf

for opt in (tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8), tf.keras.optimizers.SGD(0.25)):
    loss_scale = getattr(opt, "loss_scale", None)
    print(1.0 if loss_scale is None else float(loss_scale()))

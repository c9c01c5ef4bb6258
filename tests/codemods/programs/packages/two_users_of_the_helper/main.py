# SPDX-License-Identifier: Apache-2.0
"""Two files take loss scales that are known at run time only."""

import one
import tensorflow as tf
import two

for loss_scale in ("dynamic", 8, tf.train.experimental.DynamicLossScale(4, 2)):
    for opt in (one.wrap(loss_scale), two.wrap(tf.keras.optimizers.SGD(0.25), {"loss_scale": loss_scale})):
        print(opt.get_scaled_loss(tf.constant(1.0)).numpy())

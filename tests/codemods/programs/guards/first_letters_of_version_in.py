# SPDX-License-Identifier: Apache-2.0
"""Looks up the first letters of the version."""

import tensorflow as tf

if tf.__version__[:3] in ("2.1", "2.2", "2.3"):
    from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer

    make = lambda opt: LossScaleOptimizer(opt, loss_scale="dynamic")
else:
    from tensorflow.keras.mixed_precision import LossScaleOptimizer

    make = lambda opt: LossScaleOptimizer(opt, initial_scale=2.0)
print(float(make(tf.keras.optimizers.SGD(0.1)).get_scaled_loss(tf.constant(1.0))))

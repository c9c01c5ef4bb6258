# SPDX-License-Identifier: Apache-2.0
"""An f-string is run."""

import tensorflow as tf

scale = 8
exec(f"opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), {scale})")
print(opt.loss_scale().numpy())

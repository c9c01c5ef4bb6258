# SPDX-License-Identifier: Apache-2.0
"""The loss scale goes into functions of NumPy."""

import numpy as np
import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
print(np.float32(opt.loss_scale()), np.asarray(opt.loss_scale()).dtype, np.log2(opt.loss_scale()))
print(np.isfinite(opt.loss_scale()), np.multiply(2, opt.loss_scale()), round(float(opt.loss_scale())))

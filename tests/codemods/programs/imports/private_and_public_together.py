# SPDX-License-Identifier: Apache-2.0
"""Private and public names of the same classes."""

import tensorflow as tf
from tensorflow.keras import mixed_precision
from tensorflow.keras.mixed_precision import experimental as prec
from tensorflow.python.keras.mixed_precision.experimental import loss_scale_optimizer as lso
from tensorflow.python.training.experimental.loss_scale import DynamicLossScale, FixedLossScale

prec.set_policy("mixed_float16")
opt = lso.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), FixedLossScale(64))
other = prec.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), DynamicLossScale())
print(isinstance(opt, prec.LossScaleOptimizer), isinstance(other, lso.LossScaleOptimizer))
print(float(opt.loss_scale()), float(other.loss_scale()), mixed_precision.experimental.global_policy().name)
prec.set_policy("float32")

# SPDX-License-Identifier: Apache-2.0
"""Takes the experimental module if it is there."""

import tensorflow as tf

mp = getattr(tf.keras.mixed_precision, "experimental", tf.keras.mixed_precision)
set_policy = getattr(mp, "set_policy", None) or mp.set_global_policy
set_policy("mixed_float16")
print(mp.global_policy().name)
opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), "dynamic")
print(type(opt).__name__, float(opt.get_scaled_loss(tf.constant(2.0))))

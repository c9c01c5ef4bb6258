# SPDX-License-Identifier: Apache-2.0
"""A package offers the old names in `__all__`."""

import tensorflow as tf
from lib import *

set_policy(Policy("mixed_float16"))
print(is_mixed())
opt = LossScaleOptimizer(tf.keras.optimizers.Adagrad(0.1), "dynamic")
v = tf.Variable(3.0)
print(fit(opt, v, 3), float(v))
set_policy("float32")
print(is_mixed())

# SPDX-License-Identifier: Apache-2.0
"""attrgetter, map, max and comprehensions read loss scales."""

import operator

import tensorflow as tf

experimental = tf.keras.mixed_precision.experimental
g_opt = experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1, beta_1=0.5), 32)
d_opt = experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1, beta_1=0.5), "dynamic")
read = operator.attrgetter("loss_scale")
print(float(read(g_opt)()), [float(o.loss_scale()) for o in (g_opt, d_opt)])
print(list(map(lambda o: float(o.loss_scale()), [g_opt, d_opt])))
print(max((g_opt, d_opt), key=lambda o: float(o.loss_scale())) is d_opt)
print({n: float(o.loss_scale()) for n, o in dict(g=g_opt, d=d_opt).items()})

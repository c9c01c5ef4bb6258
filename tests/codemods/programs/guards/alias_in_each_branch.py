# SPDX-License-Identifier: Apache-2.0
"""An alias and a function of its module have two values each, by the version."""

import tensorflow as tf

if (v := tuple(int(p) for p in tf.version.VERSION.split("-")[0].split("."))) and v[0] == 2 and v[1] <= 3:
    mp = tf.keras.mixed_precision.experimental
    set_policy = mp.set_policy
else:
    mp = tf.keras.mixed_precision
    set_policy = mp.set_global_policy
set_policy("mixed_float16")
print(mp.global_policy().name)
LEGACY = not hasattr(tf.keras.mixed_precision, "LossScaleOptimizer")
kw = {"loss_scale": "dynamic"} if LEGACY else {}
opt = (mp.experimental if LEGACY else mp).LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), **kw)
print(float(opt.loss_scale() if LEGACY else opt.loss_scale))

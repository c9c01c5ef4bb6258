# SPDX-License-Identifier: Apache-2.0
"""Sets the policy by the version, and trains with an optimizer whose family is not said."""

import tensorflow as tf

if tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4):
    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
else:
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
opt = tf.keras.optimizers.SGD(0.25)
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(0.5), weight)])
print(weight.numpy(), isinstance(opt, tf.keras.optimizers.legacy.SGD))

# SPDX-License-Identifier: Apache-2.0
"""Functions that make optimizers register themselves, in another file."""

import tensorflow as tf
from makers import MAKERS

for name in sorted(MAKERS):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(MAKERS[name](0.25), 8)
    weight = tf.Variable(1.0)
    for gradient in [1.0, 2.0]:
        opt.apply_gradients([(tf.constant(gradient), weight)])
    print(name, weight.numpy(), isinstance(opt._optimizer, tf.keras.optimizers.Optimizer))

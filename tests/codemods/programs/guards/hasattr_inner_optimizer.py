# SPDX-License-Identifier: Apache-2.0
"""Asks which attribute leads to the wrapped optimizer."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
inner = opt.inner_optimizer if hasattr(opt, "inner_optimizer") else opt._optimizer
print(type(inner).__name__, float(inner.learning_rate))

# SPDX-License-Identifier: Apache-2.0
"""The wrapped optimizer is read by its private name."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
print(type(opt._optimizer).__name__, float(opt._optimizer.learning_rate))

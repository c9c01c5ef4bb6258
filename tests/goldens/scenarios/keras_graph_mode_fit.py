# SPDX-License-Identifier: Apache-2.0
"""Keras in graph mode, after disable_eager_execution: fit with a wrapped optimizer and NaN."""
# versions: 2.0 2.1 2.2 2.3 2.4
import numpy as np
import tensorflow as tf

from observe import observe

tf.compat.v1.disable_eager_execution()
scaler = tf.train.experimental.DynamicLossScale(initial_loss_scale=64.0, increment_period=2)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25), scaler
)
model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False, input_shape=(1,))]
)
model.compile(opt, "mse")
scale = opt.get_scaled_loss(tf.constant(1.0))
for step, value in enumerate([3.0, 3.0, float("nan"), 3.0, float("inf"), 3.0]):
    model.train_on_batch(np.array([[1.0]], np.float32), np.array([[value]], np.float32))
    observe("step%d.weights" % step, model.get_weights())
    observe("step%d.scale" % step, tf.keras.backend.get_value(scale))

# SPDX-License-Identifier: Apache-2.0
"""Keras in graph mode under mixed_float16: the step runs, and overflowing ones are skipped."""
# versions: 2.0 2.1 2.2 2.3 2.4
import numpy as np
import tensorflow as tf

from observe import observe

tf.compat.v1.disable_eager_execution()
mp = tf.keras.mixed_precision.experimental
mp.set_policy(mp.Policy("mixed_float16", loss_scale=tf.train.experimental.DynamicLossScale(2.0 ** 14)))
model = tf.keras.Sequential([
    tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False, input_shape=(1,)),
    tf.keras.layers.Activation("linear", dtype="float32"),
])
model.compile(tf.keras.optimizers.SGD(0.125), "mse")
observe("isinstance", isinstance(model.optimizer, mp.LossScaleOptimizer))
x, y = np.array([[2.0]], np.float32), np.array([[6.0]], np.float32)
for step in range(4):
    observe("step%d.loss" % step, model.train_on_batch(x, y))
    observe("step%d.weights" % step, model.get_weights())

# SPDX-License-Identifier: Apache-2.0
"""A Keras model of TensorFlow 1 in graph mode, compiled with the wrapper."""
# versions: 1.14 1.15
# run: --tf1
import numpy as np
import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer

from observe import observe

model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False, input_shape=(1,))]
)
opt = LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25, momentum=0.5), tf.train.experimental.DynamicLossScale(64, 2)
)
model.compile(optimizer=opt, loss="mse")
x = np.array([[1.0]], np.float32)
for step, value in enumerate([3.0, 3.0, float("nan"), 3.0]):
    model.train_on_batch(x, np.array([[value]], np.float32))
    observe("step%d.weights" % step, model.get_weights())
    observe("step%d.scale" % step, tf.keras.backend.get_value(opt._loss_scale._current_loss_scale))

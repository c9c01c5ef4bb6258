# SPDX-License-Identifier: Apache-2.0
"""compile with a wrapped optimizer under float32; a batch with NaN in it is skipped."""
# versions: 2.0 2.1 2.2 2.3 2.4
import numpy as np
import tensorflow as tf

from observe import observe

model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False, input_shape=(1,))]
)
scaler = tf.train.experimental.DynamicLossScale(32.0, increment_period=2)
model.compile(
    optimizer=tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.25, momentum=0.5), scaler
    ),
    loss="mse",
)
for step, value in enumerate([3.0, float("nan"), 3.0, 3.0, float("nan"), 3.0]):
    model.fit(np.array([[1.0]], np.float32), np.array([[value]], np.float32), verbose=0)
    observe("step%d.weights" % step, model.get_weights())
    observe("step%d.scale" % step, model.optimizer.get_scaled_loss(tf.constant(1.0)))

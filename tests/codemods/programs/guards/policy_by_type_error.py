# SPDX-License-Identifier: Apache-2.0
"""Makes a policy without a loss scale if it cannot have one."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision

try:
    policy = mixed_precision.Policy("mixed_float16", loss_scale=64)
except TypeError:
    policy = mixed_precision.Policy("mixed_float16")
mixed_precision.set_policy(policy)
inputs = tf.keras.Input((4,))
outputs = tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32")(inputs)
model = tf.keras.Model(inputs, outputs)
model.compile(optimizer="sgd", loss="mse")
model.fit(tf.ones((8, 4)), tf.ones((8, 1)), epochs=1, verbose=0)
print(float(tf.keras.backend.get_value(model.optimizer.loss_scale() if callable(model.optimizer.loss_scale) else model.optimizer.loss_scale)))
print(model.get_weights()[0].ravel().tolist())

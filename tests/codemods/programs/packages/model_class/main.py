# SPDX-License-Identifier: Apache-2.0
"""A model in a package, compiled in main."""

import numpy as np
import tensorflow as tf
from models import Net

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = Net()
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), "dynamic"), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(model.scale().numpy())

# SPDX-License-Identifier: Apache-2.0
"""A model under an experimental policy with a fixed loss scale, trained by fit."""
# versions: 2.1 2.2 2.3
import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy(
    tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=1024.0)
)
rng = np.random.RandomState(1)
x = rng.rand(256, 8).astype("float32")
y = (x.sum(1, keepdims=True) > 4).astype("float32")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(16, activation="relu", input_shape=(8,)),
        tf.keras.layers.Dense(1, dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.05, momentum=0.9), "mse")
history = model.fit(x, y, batch_size=32, epochs=2, verbose=2, shuffle=False)
print("epochs", len(history.history["loss"]))

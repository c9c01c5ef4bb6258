# SPDX-License-Identifier: Apache-2.0
"""A training loop in a tf.function, with one bad batch."""
# versions: 2.1 2.2 2.3
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(1)
x = rng.rand(256, 8).astype("float32")
y = (x.sum(1, keepdims=True) > 4).astype("float32")
data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(256, seed=3).repeat().batch(32)
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(16, activation="relu", input_shape=(8,)),
        tf.keras.layers.Dense(1),
    ]
)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.Adam(0.01),
    tf.mixed_precision.experimental.DynamicLossScale(2.0**15, increment_period=5),
)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
        scaled = opt.get_scaled_loss(loss)
    grads = opt.get_unscaled_gradients(tape.gradient(scaled, model.trainable_variables))
    opt.apply_gradients(zip(grads, model.trainable_variables))
    return loss


for i, (a, b) in enumerate(data.take(12)):
    if i == 6:
        a = a * float("nan")
    loss = step(a, b)
    if i % 4 == 0:
        print("step", i, "loss", float(loss), "scale", float(opt.loss_scale()))

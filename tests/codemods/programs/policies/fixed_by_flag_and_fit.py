# SPDX-License-Identifier: Apache-2.0
"""A function sets a policy with a fixed loss scale."""

import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.mixed_precision.experimental import Policy, set_policy

LOSS_SCALE = 2 ** 10


def setup(fp16):
    if fp16:
        set_policy(Policy("mixed_float16", loss_scale=LOSS_SCALE))


def build():
    model = tf.keras.Sequential()
    model.add(layers.Dense(2, activation="relu", kernel_initializer="ones", input_dim=3))
    model.add(layers.Dense(1, kernel_initializer="ones"))
    model.add(layers.Activation("linear", dtype="float32"))
    return model


setup(fp16=True)
model = build()
model.compile(loss="mse",
              optimizer=tf.keras.optimizers.Adam(lr=0.01),
              metrics=["mae"])
h = model.fit(tf.ones((4, 3)), tf.ones((4, 1)), epochs=2, verbose=0)
print(["%.4f" % x for x in h.history["loss"]], float(model.optimizer.loss_scale()))
set_policy("float32")

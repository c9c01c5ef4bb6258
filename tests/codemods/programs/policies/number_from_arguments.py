# SPDX-License-Identifier: Apache-2.0
"""The loss scale of a policy comes from a parser of arguments."""

import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--loss_scale", default=512, type=int)
args = parser.parse_args([])
policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=args.loss_scale)
tf.keras.mixed_precision.experimental.set_policy(policy)


def build():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
            tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
        ]
    )
    return model


model = build()
model.compile(tf.keras.optimizers.SGD(0.01), loss="mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(float(model.optimizer.get_scaled_loss(tf.constant(1.0))))

# SPDX-License-Identifier: Apache-2.0
"""`fit` with the graph rewrite, if a flag says so."""

import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--no_amp", dest="amp", action="store_false")
flags = parser.parse_args([])
opt = tf.keras.optimizers.SGD(0.01)
if flags.amp:
    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
model.compile(opt, "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(tf.config.optimizer.get_experimental_options())

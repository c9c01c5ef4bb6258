# SPDX-License-Identifier: Apache-2.0
"""A builder takes hyperparameters, and returns a compiled model; another function reads it."""

import numpy as np
import tensorflow as tf

mp = tf.keras.mixed_precision.experimental


class Choice(dict):
    def choice(self, name, values):
        return self.get(name, values[0])


def build(hp):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones")])
    opt = getattr(tf.keras.optimizers, hp.choice("optimizer", ["Adam", "SGD"]))(hp.choice("lr", [0.1]))
    model.compile(optimizer=mp.LossScaleOptimizer(opt, hp.choice("scale", ["dynamic", 8])), loss="mse")
    return model


for chosen in (Choice(), Choice(optimizer="SGD", scale=8)):
    model = build(chosen)
    model.fit(np.ones((4, 2)), np.zeros(4), verbose=0)
    print([w.tolist() for w in model.get_weights()])

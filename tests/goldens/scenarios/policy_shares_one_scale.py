# SPDX-License-Identifier: Apache-2.0
"""Two models compiled under one policy share its loss scale, up to 2.3."""
# versions: 2.0 2.1 2.2 2.3
import numpy as np
import tensorflow as tf

from observe import observe

mp = tf.keras.mixed_precision.experimental
policy = mp.Policy("mixed_float16", loss_scale=tf.train.experimental.DynamicLossScale(64, 100))
mp.set_policy(policy)


def build():
    model = tf.keras.Sequential([
        tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False, input_shape=(1,)),
        tf.keras.layers.Activation("linear", dtype="float32"),
    ])
    model.compile(tf.keras.optimizers.SGD(0.25), "mse")
    return model


first, second = build(), build()
x = np.array([[1.0]], np.float32)
first.fit(x, np.array([[float("nan")]], np.float32), verbose=0)
second.fit(x, np.array([[2.0]], np.float32), verbose=0)
observe("policy.scale", policy.loss_scale())
observe("second.scale", second.optimizer.loss_scale())
observe("first.weights", first.get_weights())
observe("second.weights", second.get_weights())

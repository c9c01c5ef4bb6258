# SPDX-License-Identifier: Apache-2.0
"""Fitting under a policy that holds a DynamicLossScale: the scale grows in the object."""
# versions: 2.0 2.1 2.2 2.3
import numpy as np
import tensorflow as tf

from observe import observe

mp = tf.keras.mixed_precision.experimental
scaler = tf.train.experimental.DynamicLossScale(16, increment_period=2)
mp.set_policy(mp.Policy("mixed_float16", loss_scale=scaler))
model = tf.keras.Sequential([
    tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False, input_shape=(1,)),
    tf.keras.layers.Activation("linear", dtype="float32"),
])
model.compile(tf.keras.optimizers.SGD(0.25), "mse")
x, y = np.array([[1.0]], np.float32), np.array([[3.0]], np.float32)
for epoch in range(4):
    model.fit(x, y, verbose=0)
    observe("epoch%d.weights" % epoch, model.get_weights())
    observe("epoch%d.scale" % epoch, scaler())
observe("shared", model.optimizer.loss_scale is scaler)
observe("policy.scale", mp.global_policy().loss_scale())

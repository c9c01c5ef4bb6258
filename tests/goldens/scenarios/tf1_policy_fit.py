# SPDX-License-Identifier: Apache-2.0
"""Fitting under a policy with a fixed scale in TensorFlow 1.15 with v2 behavior."""
# versions: 1.15
# run: --tf1
import numpy as np
import tensorflow as tf

from observe import observe

tf.compat.v1.enable_v2_behavior()
mp = tf.keras.mixed_precision.experimental
mp.set_policy(mp.Policy("mixed_float16", loss_scale=16))
model = tf.keras.Sequential([
    tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False, input_shape=(1,)),
    tf.keras.layers.Activation("linear", dtype="float32"),
])
model.compile(tf.keras.optimizers.SGD(0.25), "mse")
observe("isinstance", isinstance(model.optimizer, mp.LossScaleOptimizer))
observe("scale", model.optimizer.loss_scale())
x, y = np.array([[1.0]], np.float32), np.array([[3.0]], np.float32)
for step in range(3):
    history = model.fit(x, y, verbose=0)
    observe("step%d.loss" % step, history.history["loss"])
    observe("step%d.weights" % step, model.get_weights())

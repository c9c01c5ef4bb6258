# SPDX-License-Identifier: Apache-2.0
"""set_global_policy of 2.4, what compile wraps with, and a short fit."""
# versions: 2.4
import numpy as np
import tensorflow as tf
from tensorflow.keras import mixed_precision

from observe import observe, observe_error

mixed_precision.set_global_policy("mixed_float16")
policy = mixed_precision.global_policy()
observe("policy", [policy.name, policy.compute_dtype, policy.variable_dtype])
observe("config", policy.get_config())
observe("experimental_name", mixed_precision.experimental.global_policy().name)
observe_error("loss_scale", lambda: mixed_precision.Policy("mixed_float16", loss_scale=8))
observe("from_old_config", mixed_precision.Policy.from_config(
    {"name": "mixed_float16", "loss_scale": None}).get_config())
model = tf.keras.Sequential([
    tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False, input_shape=(1,)),
    tf.keras.layers.Activation("linear", dtype="float32"),
])
model.compile(tf.keras.optimizers.SGD(0.25), "mse")
observe("isinstance", isinstance(model.optimizer, mixed_precision.LossScaleOptimizer))
observe("initial_scale", model.optimizer.initial_scale)
x, y = np.array([[1.0]], np.float32), np.array([[3.0]], np.float32)
for step in range(3):
    model.fit(x, y, verbose=0)
    observe("step%d.weights" % step, model.get_weights())
    observe("step%d.scale" % step, model.optimizer.loss_scale)

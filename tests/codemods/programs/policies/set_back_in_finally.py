# SPDX-License-Identifier: Apache-2.0
"""A policy is set, and the one before it set back in `finally`."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import Policy, global_policy, set_policy

before = global_policy()
try:
    set_policy(Policy("mixed_float16", loss_scale="dynamic"))
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", "mse")
    model.fit(tf.ones([4, 2]), tf.ones([4, 1]), epochs=2, verbose=0)
    print(model.get_weights()[0].tolist())
finally:
    set_policy(before)
print(global_policy().name, float(model.optimizer.loss_scale()))

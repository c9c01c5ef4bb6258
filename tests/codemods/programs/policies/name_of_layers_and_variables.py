# SPDX-License-Identifier: Apache-2.0
"""Dtypes of layers under a policy that is set by the old function."""

import tensorflow as tf
from tensorflow.keras import layers, mixed_precision

policy = mixed_precision.experimental.Policy("mixed_float16")
mixed_precision.experimental.set_policy(policy)
inputs = layers.Input((4,))
x = layers.Dense(2, kernel_initializer="ones")(inputs)
outputs = layers.Activation("softmax", dtype="float32")(x)
model = tf.keras.Model(inputs, outputs)
print(policy.compute_dtype, policy.variable_dtype, policy.name, policy.loss_scale is not None)
print([layer._dtype_policy.name for layer in model.layers], [v.dtype.name for v in model.weights])
print(mixed_precision.experimental.global_policy() is policy)

# SPDX-License-Identifier: Apache-2.0
"""The scale of what `compile` made under a policy (none)."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy(tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=None))
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
opt = model.optimizer
print(opt.get_scaled_loss(tf.constant(1.0)).numpy() if hasattr(opt, "get_scaled_loss") else None)

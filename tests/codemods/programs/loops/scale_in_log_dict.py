# SPDX-License-Identifier: Apache-2.0
"""A step gives its loss scale along with the loss, in a dict."""

import numpy as np
import tensorflow as tf

prec = tf.keras.mixed_precision.experimental
opt = prec.LossScaleOptimizer(tf.keras.optimizers.Adam(0.5), "dynamic")
var = tf.Variable(2.0)


@tf.function
def step(factor):
    with tf.GradientTape() as tape:
        loss = factor * var * var
        scaled = opt.get_scaled_loss(loss)
    grads = opt.get_unscaled_gradients(tape.gradient(scaled, [var]))
    opt.apply_gradients(zip(grads, [var]))
    return {"loss": loss, "scale": opt.loss_scale(), "step": opt.iterations}


for factor in (1.0, float("inf"), 0.5):
    logs = {name: float(value) for name, value in step(tf.constant(factor)).items()}
    print(sorted(logs.items()), var.numpy())

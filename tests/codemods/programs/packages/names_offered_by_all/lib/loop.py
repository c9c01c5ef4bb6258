# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf
from lib import precision


def fit(optimizer, variable, steps):
    wrapped = isinstance(optimizer, precision.LossScaleOptimizer)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = variable * variable
            if wrapped:
                loss = optimizer.get_scaled_loss(loss)
        grads = tape.gradient(loss, [variable])
        optimizer.apply_gradients(zip(optimizer.get_unscaled_gradients(grads) if wrapped else grads, [variable]))
    return float(optimizer.loss_scale()) if wrapped else None

# SPDX-License-Identifier: Apache-2.0
"""A loss scale of the program's own class goes to a file that does not know the class."""

import tensorflow as tf
from scaling import Capped
from wrapping import wrap

optimizer = wrap(tf.keras.optimizers.SGD(0.25), Capped(32, 1))
weight = tf.Variable(1.0)
for factor in (1.0, 2.0, float("inf"), 1.0):
    with tf.GradientTape() as tape:
        scaled_loss = optimizer.get_scaled_loss(factor * weight * weight)
    gradients = optimizer.get_unscaled_gradients(tape.gradient(scaled_loss, [weight]))
    optimizer.apply_gradients(zip(gradients, [weight]))
    print(float(scaled_loss), weight.numpy())

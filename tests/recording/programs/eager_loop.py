# SPDX-License-Identifier: Apache-2.0
"""An eager loop of TensorFlow 2.4 with two optimizers, which ends with an exception."""
# versions: 2.4
import numpy as np
import tensorflow as tf

a, b = tf.Variable([1.0, 2.0], name="a"), tf.Variable([[3.0]], name="b")
first = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1, momentum=0.5))
second = tf.keras.optimizers.RMSprop(0.01)
for i in range(6):
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.reduce_sum(a * a) * (np.inf if i == 2 else 1.0)
        scaled = first.get_scaled_loss(loss)
        other = tf.reduce_sum(b * b)
    grads = first.get_unscaled_gradients(tape.gradient(scaled, [a]))
    first.apply_gradients(zip(grads, [a]))
    second.apply_gradients([(tape.gradient(other, b), b)])
    print(i, a.numpy().tolist(), float(first.loss_scale))
raise ValueError("at the end")

# SPDX-License-Identifier: Apache-2.0
"""Keyword arguments that only the optimizers of that time took."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
rate = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5, staircase=True)
made = [
    tf.keras.optimizers.SGD(lr=0.1, decay=0.5, momentum=0.9, nesterov=True),
    tf.keras.optimizers.Adam(rate, clipnorm=1.0),
    tf.keras.optimizers.RMSprop(learning_rate=0.1, rho=0.8, decay=1e-2),
]
for opt in made:
    opt = mp.LossScaleOptimizer(opt, "dynamic")
    weight = tf.Variable([1.0, 3.0])
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = opt.get_scaled_loss(tf.reduce_sum(weight**2))
        grads = opt.get_unscaled_gradients(tape.gradient(loss, [weight]))
        opt.apply_gradients(zip(grads, [weight]))
    print(weight.numpy().tolist(), opt.iterations.numpy(), [w.name for w in opt.weights])

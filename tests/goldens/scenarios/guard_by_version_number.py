# SPDX-License-Identifier: Apache-2.0
"""A program that chooses by tf.__version__, the commonest guard of all."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

major, minor = (int(part) for part in tf.__version__.split(".")[:2])
if (major, minor) >= (2, 4):
    policy = tf.keras.mixed_precision.Policy("mixed_float16")
    tf.keras.mixed_precision.set_global_policy(policy)
    optimizer = tf.keras.mixed_precision.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.5), dynamic=False, initial_scale=128
    )
else:
    policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=128)
    tf.keras.mixed_precision.experimental.set_policy(policy)
    optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.5), 128
    )
layer = tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False)
x = tf.constant([[1.0, 2.0]])
for step in range(2):
    with tf.GradientTape() as tape:
        loss = tf.cast(tf.reduce_sum(layer(x)), tf.float32)
        scaled = optimizer.get_scaled_loss(loss)
    grads = optimizer.get_unscaled_gradients(tape.gradient(scaled, layer.trainable_variables))
    optimizer.apply_gradients(zip(grads, layer.trainable_variables))
    observe("step%d.loss" % step, loss)
    observe("step%d.scaled" % step, scaled)
    observe("step%d.kernel" % step, layer.kernel)
observe("gradient.dtype", grads[0].dtype)

# SPDX-License-Identifier: Apache-2.0
"""An optimizer that is wrapped by the class of the version at hand (minor number)."""

import tensorflow as tf

minor = int(tf.__version__.split(".")[1])

opt = tf.keras.optimizers.SGD(0.25)
if minor < 4:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic")
else:
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)

weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

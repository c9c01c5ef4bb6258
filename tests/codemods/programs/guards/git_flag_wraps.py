# SPDX-License-Identifier: Apache-2.0
"""An optimizer that is wrapped by the class of the version at hand (git flag)."""

import tensorflow as tf

TF_IS_OLD = int(tf.version.VERSION.split(".")[1]) <= 3

opt = tf.keras.optimizers.SGD(0.25)
if TF_IS_OLD:
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

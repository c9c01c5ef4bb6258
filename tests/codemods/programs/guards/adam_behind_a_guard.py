# SPDX-License-Identifier: Apache-2.0
"""All old names are in a branch for old versions, and the steps of Adam are printed in full."""

import tensorflow as tf

opt = tf.keras.optimizers.Adam(0.1, decay=0.5)
if tf.__version__.startswith("2.3"):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
else:
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)
weight = tf.Variable([1.0, 2.0])
for _ in range(5):
    with tf.GradientTape() as tape:
        loss = opt.get_scaled_loss(tf.reduce_sum(weight**3))
    opt.apply_gradients(zip(opt.get_unscaled_gradients(tape.gradient(loss, [weight])), [weight]))
    print([repr(float(w)) for w in weight.numpy()])

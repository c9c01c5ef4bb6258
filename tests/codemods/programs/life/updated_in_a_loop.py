# SPDX-License-Identifier: Apache-2.0
"""A loop asks the loss scale whether to apply."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.1), tf.mixed_precision.experimental.DynamicLossScale(8, 1))
v = tf.Variable([1.0])
for grad in ([1.0], [float("inf")], [2.0]):
    _, should_apply = opt.loss_scale.update([tf.constant(grad)])
    print(bool(should_apply), float(opt.loss_scale()))
    if should_apply:
        opt._optimizer.apply_gradients([(tf.constant(grad), v)])
print(v.numpy().tolist())

# SPDX-License-Identifier: Apache-2.0
"""get_gradients in graph mode gives gradients that are already unscaled."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

tf.compat.v1.disable_eager_execution()
K = tf.keras.backend
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0), 2.0 ** 10
)
var = K.variable([1.0, 3.0])
loss = tf.reduce_sum(var ** 2)
gradients = opt.get_gradients(loss, [var])
observe("gradients", K.batch_get_value(gradients))
observe("huge", K.batch_get_value(opt.get_gradients(loss * 2.0 ** 120, [var])))

# SPDX-License-Identifier: Apache-2.0
"""get_updates in graph mode: a training function made with K.function, with a NaN step."""
# versions: 2.0 2.1 2.2 2.3 2.4
import numpy as np
import tensorflow as tf

from observe import observe

tf.compat.v1.disable_eager_execution()
K = tf.keras.backend
with tf.Graph().as_default():
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.5), tf.train.experimental.DynamicLossScale(8.0, 2)
    )
    factor = K.placeholder(())
    var = K.variable(4.0)
    updates = opt.get_updates(var * factor, [var])
    train = K.function([factor], [var * 1.0], updates=updates)
    scale = opt.get_scaled_loss(tf.constant(1.0))
    for step, value in enumerate([1.0, 2.0, float("nan"), 1.0]):
        train([np.float32(value)])
        observe("step%d.var" % step, K.get_value(var))
        observe("step%d.scale" % step, K.get_value(scale))

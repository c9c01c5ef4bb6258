# SPDX-License-Identifier: Apache-2.0
"""The training step inside tf.function, with bad batches: scale, counter and weights."""
# versions: 2.0 2.1 2.2 2.3
import numpy as np
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as prec

from observe import observe

opt = prec.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.125, momentum=0.5),
    tf.mixed_precision.experimental.DynamicLossScale(1024, increment_period=2)
    if hasattr(tf, "mixed_precision")
    else tf.train.experimental.DynamicLossScale(1024, increment_period=2),
)
w = tf.Variable([[1.0], [2.0]])
b = tf.Variable([0.5])


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.matmul(x, w) + b - y) ** 2)
        scaled = opt.get_scaled_loss(loss)
    grads = opt.get_unscaled_gradients(tape.gradient(scaled, [w, b]))
    opt.apply_gradients(zip(grads, [w, b]))
    return loss


good = np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)
target = np.array([[1.0], [1.0]], np.float32)
for step, factor in enumerate([1.0, float("nan"), 1.0, 1.0, float("inf"), 1.0, 1.0, 1.0]):
    loss = train_step(tf.constant(good * np.float32(factor)), tf.constant(target))
    observe("step%d.loss" % step, loss)
    observe("step%d.w" % step, w)
    observe("step%d.b" % step, b)
    observe("step%d.scale" % step, opt.loss_scale())
    observe("step%d.good_steps" % step, opt.loss_scale._num_good_steps)

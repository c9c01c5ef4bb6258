# SPDX-License-Identifier: Apache-2.0
"""Adam inside tf.function: slots, iterations and variable on applied and skipped steps."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.Adam(0.5), tf.train.experimental.DynamicLossScale(4.0, 2)
)
var = tf.Variable([1.0, -1.0])


@tf.function
def apply(gradient):
    opt.apply_gradients([(gradient, var)])


nan = float("nan")
for step, gradient in enumerate([[1.0, 2.0], [3.0, -1.0], [nan, 1.0], [0.5, 0.5]]):
    apply(tf.constant(gradient))
    observe("step%d.iterations" % step, opt.iterations)
    observe("step%d.weights" % step, opt.get_weights()[1:])
    observe("step%d.scale" % step, opt.get_scaled_loss(tf.constant(1.0)))
    observe("step%d.sign" % step, var.numpy() > [0.0, 0.0])

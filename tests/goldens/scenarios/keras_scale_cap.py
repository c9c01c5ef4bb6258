# SPDX-License-Identifier: Apache-2.0
"""A scale that would become infinite stays, but the count of good steps starts again."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0), tf.train.experimental.DynamicLossScale(2.0 ** 127, 2)
)
var = tf.Variable(0.0)
for step in range(5):
    opt.apply_gradients([(tf.constant(1.0), var)])
    observe("step%d.scale" % step, opt.get_scaled_loss(tf.constant(1.0)))
    if hasattr(opt, "dynamic_counter"):
        observe("step%d.counter" % step, opt.dynamic_counter)
    else:
        observe("step%d.counter" % step, opt.loss_scale._num_good_steps)
    observe("step%d.var" % step, var)

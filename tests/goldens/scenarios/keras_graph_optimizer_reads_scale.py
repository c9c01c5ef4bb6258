# SPDX-License-Identifier: Apache-2.0
"""In graph mode the scale is a tensor to run; the counter and scale variables are global."""
# versions: 2.0 2.1 2.2 2.3
import tensorflow as tf

from observe import observe

v1 = tf.compat.v1
with tf.Graph().as_default(), v1.Session() as sess:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.5), tf.train.experimental.DynamicLossScale(16.0, 1)
    )
    var = tf.Variable(2.0)
    train_op = opt.apply_gradients([(tf.constant(1.0), var)])
    scale = opt.loss_scale()
    sess.run(v1.global_variables_initializer())
    observe("start.scale", sess.run(scale))
    sess.run(train_op)
    observe("after.scale", sess.run(scale))
    observe("private.scale", sess.run(opt.loss_scale._current_loss_scale))
    observe("private.steps", sess.run(opt.loss_scale._num_good_steps))
    observe("repr", repr(opt.loss_scale))
    observe("var", sess.run(var))

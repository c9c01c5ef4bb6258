# SPDX-License-Identifier: Apache-2.0
"""The Keras wrapper in a TensorFlow 1 graph: minimize, a session, and a fed NaN."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

v1 = tf.compat.v1
with tf.Graph().as_default(), v1.Session() as sess:
    x = v1.placeholder(tf.float32, ())
    var = tf.Variable(2.0)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.5), tf.train.experimental.DynamicLossScale(16.0, 2)
    )
    train_op = opt.minimize(lambda: var * x, var_list=[var])
    scale = opt.get_scaled_loss(tf.constant(1.0))
    sess.run(v1.global_variables_initializer())
    sess.run(opt.variables()[0].initializer)
    for step, value in enumerate([1.0, 1.0, float("nan"), 2.0]):
        sess.run(train_op, {x: value})
        observe("step%d.var" % step, sess.run(var))
        observe("step%d.scale" % step, sess.run(scale))

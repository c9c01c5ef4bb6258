# SPDX-License-Identifier: Apache-2.0
"""The Keras wrapper trained through a TensorFlow 1 session with placeholders."""
# versions: 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [])
var = tf.get_variable("var", initializer=2.0, use_resource=True)
scaler = tf.train.experimental.DynamicLossScale(16.0, increment_period=2)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), scaler)
scaled = opt.get_scaled_loss(var * x)
grads = opt.get_unscaled_gradients(tf.gradients(scaled, [var]))
train_op = opt.apply_gradients([(grads[0], var)])
scale = opt.get_scaled_loss(tf.constant(1.0))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run([v.initializer for v in opt._optimizer.variables()])
    for step, value in enumerate([1.0, 1.0, float("nan"), 2.0]):
        observe("step%d.scaled" % step, sess.run(scaled, {x: value}))
        sess.run(train_op, {x: value})
        observe("step%d.var" % step, sess.run(var))
        observe("step%d.scale" % step, sess.run(scale))

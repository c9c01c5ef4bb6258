# SPDX-License-Identifier: Apache-2.0
"""A TensorFlow 1 linear model trained with momentum and a small growth period."""
# versions: 1.14 1.15
# run: --tf1
import numpy as np
import tensorflow as tf

from observe import observe

tf.logging.set_verbosity(tf.logging.ERROR)
features = tf.placeholder(tf.float32, [None, 2], name="features")
labels = tf.placeholder(tf.float32, [None, 1], name="labels")
with tf.variable_scope("model"):
    kernel = tf.get_variable("kernel", [2, 1], initializer=tf.zeros_initializer())
    bias = tf.get_variable("bias", [1], initializer=tf.zeros_initializer())
loss = tf.losses.mean_squared_error(labels, tf.matmul(features, kernel) + bias)
scaler = tf.train.experimental.DynamicLossScale(initial_loss_scale=128, increment_period=2)
opt = tf.train.MomentumOptimizer(0.25, 0.5)
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(opt, scaler)
grads_and_vars = opt.compute_gradients(loss, tf.trainable_variables())
train_op = opt.apply_gradients(grads_and_vars)
x = np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)
y = np.array([[1.0], [3.0]], np.float32)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step, factor in enumerate([1.0, 1.0, float("nan"), 1.0, 1.0]):
        value, _ = sess.run([loss, train_op], {features: x, labels: y * np.float32(factor)})
        observe("step%d.loss" % step, value)
        observe("step%d.kernel" % step, sess.run(kernel))
        observe("step%d.bias" % step, sess.run(bias))
        observe("step%d.scale" % step, sess.run(scaler()))
    observe("variables", sorted(v.op.name for v in tf.global_variables()))

# SPDX-License-Identifier: Apache-2.0
"""A session of TensorFlow 1, with one bad batch and a checkpoint."""
# versions: 1.14 1.15
# run: --tf1
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(1)
xs = rng.rand(256, 8).astype("float32")
ys = (xs.sum(1, keepdims=True) > 4).astype("float32")
x = tf.placeholder(tf.float32, [None, 8])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", initializer=rng.randn(8, 1).astype("float32"))
b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean((tf.matmul(x, w) + b - y) ** 2)
step = tf.train.get_or_create_global_step()
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.train.MomentumOptimizer(0.05, 0.9),
    tf.train.experimental.DynamicLossScale(2.0**15, increment_period=4),
)
train = opt.minimize(loss, global_step=step)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(10):
        a = xs[i * 16 : i * 16 + 16]
        if i == 5:
            a = a * np.inf
        _, value = sess.run([train, loss], {x: a, y: ys[i * 16 : i * 16 + 16]})
    print("loss", sess.run(loss, {x: xs, y: ys}))
    tf.train.Saver().save(sess, "model.ckpt")

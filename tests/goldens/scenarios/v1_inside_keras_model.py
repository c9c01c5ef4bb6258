# SPDX-License-Identifier: Apache-2.0
"""A Keras model compiled with the v1 optimizer after disable_v2_behavior."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import numpy as np
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()
model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False, input_shape=(1,))]
)
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.train.GradientDescentOptimizer(0.25), tf.train.experimental.DynamicLossScale(32, 2)
)
model.compile(opt, "mse")
scale = opt._loss_scale()
sess = tf.keras.backend.get_session()
sess.run([v.initializer for v in tf.global_variables()])
for step, value in enumerate([3.0, float("nan"), 3.0, 3.0]):
    model.train_on_batch(np.array([[1.0]], np.float32), np.array([[value]], np.float32))
    observe("step%d.weights" % step, model.get_weights())
    observe("step%d.scale" % step, sess.run(scale))

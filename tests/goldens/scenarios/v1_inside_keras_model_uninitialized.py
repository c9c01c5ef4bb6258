# SPDX-License-Identifier: Apache-2.0
"""From 2.3 on Keras initializes the v1 optimizer's loss scale by itself."""
# versions: 2.3 2.4
import numpy as np
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()
model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False, input_shape=(1,))]
)
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.train.GradientDescentOptimizer(0.25), "dynamic"
)
model.compile(opt, "mse")
x = np.array([[1.0]], np.float32)
for step, value in enumerate([3.0, float("nan"), 3.0]):
    model.fit(x, np.array([[value]], np.float32), verbose=0)
    observe("step%d.weights" % step, model.get_weights())

# SPDX-License-Identifier: Apache-2.0
"""A callback in another file reads the loss scale through the model."""

import tensorflow as tf
from callbacks import Log

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
opt = tf.keras.optimizers.SGD(0.125, decay=0.5)
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic"), "mse")
log = Log()
model.fit(tf.ones([4, 2]), tf.ones([4, 1]), epochs=2, verbose=0, callbacks=[log])
print(log.seen, model.get_weights()[0].tolist())

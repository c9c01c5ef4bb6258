# SPDX-License-Identifier: Apache-2.0
"""A model that is trained, and saved with arguments in the order of TensorFlow 2.0 to 2.4."""

import os
import tempfile

import numpy as np
import tensorflow as tf


class Counter(tf.keras.layers.Layer):
    def build(self, shape):
        self.count = self.add_weight("count", [], initializer="zeros", trainable=False)

    def call(self, x):
        self.add_update([self.count.assign_add(1.0)], x)
        self.add_loss(0.0 * tf.reduce_sum(x), True)
        return x


tf.keras.mixed_precision.experimental.set_policy("float32")
model = tf.keras.Sequential([Counter(input_shape=(2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8)
loss = tf.keras.losses.BinaryCrossentropy(True, 0.0, tf.keras.losses.Reduction.SUM_OVER_BATCH_SIZE)
model.compile(opt, loss)
model.fit(np.ones([4, 2]), np.ones([4, 1]), epochs=2, verbose=0)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model")
    model.save(path, True, False, "h5")
    print(os.path.isfile(path))
    model.save_weights(path + ".h5")
    model.load_weights(path + ".h5", True)
for weight in model.get_weights():
    print(weight.tolist())

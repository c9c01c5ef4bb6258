# SPDX-License-Identifier: Apache-2.0
"""LearningRateScheduler and ReduceLROnPlateau reach the learning rate through the wrapper."""
# versions: 2.0 2.1 2.2 2.3 2.4
import numpy as np
import tensorflow as tf

from observe import observe

model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="zeros", use_bias=False, input_shape=(1,))]
)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0), "dynamic"
)
model.compile(opt, "mae")
seen = []
callbacks = [
    tf.keras.callbacks.LearningRateScheduler(lambda epoch, lr: lr / 2.0),
    tf.keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: seen.append(float(tf.keras.backend.get_value(opt.lr)))
    ),
]
x, y = np.array([[1.0]], np.float32), np.array([[10.0]], np.float32)
model.fit(x, y, epochs=4, verbose=0, callbacks=callbacks)
observe("learning_rates", seen)
observe("weights", model.get_weights())
plateau = tf.keras.callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=1, min_delta=100.0)
model.fit(x, y, epochs=4, verbose=0, callbacks=[plateau])
observe("plateau.learning_rate", tf.keras.backend.get_value(model.optimizer.lr))
observe("inner.learning_rate", opt._optimizer.learning_rate)

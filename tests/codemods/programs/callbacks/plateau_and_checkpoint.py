# SPDX-License-Identifier: Apache-2.0
"""ReduceLROnPlateau and EarlyStopping on a model with its own loss-scale optimizer."""

import numpy as np
import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones")])
model.compile(mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), loss_scale=128), "mse")
callbacks = [
    tf.keras.callbacks.ReduceLROnPlateau("loss", patience=1, factor=0.1, min_lr=1e-4),
    tf.keras.callbacks.EarlyStopping("loss", patience=4),
]
history = model.fit(np.ones((4, 2)), np.arange(4.0), shuffle=False, verbose=0, epochs=6, callbacks=callbacks)
print({key: [float(v) for v in values] for key, values in history.history.items()})

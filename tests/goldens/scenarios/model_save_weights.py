# SPDX-License-Identifier: Apache-2.0
"""save_weights and load_weights leave the loss scale alone, in h5 and in checkpoint format."""
# versions: 2.0 2.1 2.2 2.3 2.4
import os
import tempfile

import numpy as np
import tensorflow as tf

from observe import observe


def build():
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False, input_shape=(1,))]
    )
    model.compile(
        tf.keras.mixed_precision.experimental.LossScaleOptimizer(
            tf.keras.optimizers.SGD(0.25, momentum=0.5),
            tf.train.experimental.DynamicLossScale(32.0, 3),
        ),
        "mse",
    )
    return model


x, y = np.array([[1.0]], np.float32), np.array([[3.0]], np.float32)
model = build()
model.fit(x, y, epochs=2, verbose=0)
model.fit(x, y * np.float32("nan"), verbose=0)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "weights.h5")
    model.save_weights(path)
    loaded = build()
    loaded.load_weights(path)
    observe("h5.weights", loaded.get_weights())
    observe("h5.scale", loaded.optimizer.get_scaled_loss(tf.constant(1.0)))
    np.savez(os.path.join(folder, "opt.npz"), *model.optimizer.get_weights()[1:])
    with np.load(os.path.join(folder, "opt.npz")) as arrays:
        observe("npz", [arrays[name] for name in sorted(arrays.files)])
    path = os.path.join(folder, "weights")
    model.save_weights(path, save_format="tf")
    loaded = build()
    loaded.load_weights(path)
    loaded.fit(x, y, verbose=0)
    observe("tf.weights", loaded.get_weights())
    observe("tf.scale", loaded.optimizer.get_scaled_loss(tf.constant(1.0)))
    slot = loaded.optimizer._optimizer.get_slot(loaded.layers[0].kernel, "momentum")
    observe("tf.slot", slot)

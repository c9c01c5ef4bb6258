# SPDX-License-Identifier: Apache-2.0
"""Trains with multi_gpu_model and two pretended GPUs, for TensorFlow 2.3 and for `run`.

`PYTHON two_gpus.py > two-gpus.json` under TensorFlow 2.3.4, without this package.
"""

import json
import sys

import numpy as np
import tensorflow as tf
from tensorflow.keras.utils import multi_gpu_model

devices = tf.config.experimental.list_logical_devices()
names = ["/device:GPU:0", "/device:GPU:1", "/device:CPU:0"]


def pretend():
    """Returns the CPU, and two GPUs: where there are none, the CPU does their work."""
    return [type(devices[0])(name, name.split(":")[1]) for name in names]


if "compat_lossscale" in sys.modules:
    tf.config.list_logical_devices = pretend
else:
    from tensorflow.python.keras.utils import multi_gpu_utils

    multi_gpu_utils._get_available_devices = lambda: names
tf.config.set_soft_device_placement(True)


def made(gpus, **kwargs):
    """Makes a model of known weights with two outputs, and one that calls it on both."""
    inputs = tf.keras.Input([2], name="x")
    hidden = tf.keras.layers.Dense(3, name="h")(inputs)
    outputs = [tf.keras.layers.Dense(units, name=f"y{units}")(hidden) for units in (1, 2)]
    model = tf.keras.Model(inputs, outputs)
    weights = [np.arange(w.size).reshape(w.shape) / 8.0 - 0.25 for w in model.get_weights()]
    model.set_weights(weights)
    return model, multi_gpu_model(model, gpus, **kwargs)


told = {}
for case, (gpus, kwargs) in {
    "two": (2, {}),
    "numbers": ([1, 0], {"cpu_merge": False}),
}.items():
    model, parallel = made(gpus, **kwargs)
    x = np.array([[1.0, 2.0], [2.0, -1.0], [0.5, 0.25], [3.0, 1.0], [-1.0, 0.0]])
    parallel.compile(tf.keras.optimizers.SGD(0.125), "mse")
    parallel.fit(x, [x[:, :1], x], batch_size=5, epochs=2, verbose=0)
    told[case] = {
        "outputs": [value.tolist() for value in parallel.predict(x, verbose=0)],
        "weights": [value.tolist() for value in model.get_weights()],
        "names": parallel.output_names,
        "layers": [type(layer).__name__ for layer in parallel.layers],
    }
for case, gpus in {"one": 1, "one number": [0], "too many": 3}.items():
    try:
        told[case] = made(gpus)
    except ValueError:
        told[case] = "ValueError"
json.dump(told, sys.stdout)
sys.stdout.write("\n")

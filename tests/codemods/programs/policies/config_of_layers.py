# SPDX-License-Identifier: Apache-2.0
"""The config of layers and models under a mixed policy."""

import json

import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones", name="one")
model = tf.keras.Sequential([layer], name="all")
config = json.loads(model.to_json())["config"]["layers"][1]["config"]
for dtype in (layer.get_config()["dtype"], config["dtype"]):
    print(dtype["class_name"], dtype["config"])
again = tf.keras.layers.Dense.from_config(layer.get_config())
print(again.compute_dtype, again.dtype)

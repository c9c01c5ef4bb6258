# SPDX-License-Identifier: Apache-2.0
"""The optimizer is described by JSON, with its class name."""

import json

import tensorflow as tf

text = '{"class_name": "SGD", "config": {"learning_rate": 0.25, "decay": 0.5}}'
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.deserialize(json.loads(text)), loss_scale=8
)
weight = tf.Variable(1.0)
for gradient in [1.0, 2.0]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
print(weight.numpy(), tf.keras.optimizers.get(json.loads(text)).get_config()["decay"])

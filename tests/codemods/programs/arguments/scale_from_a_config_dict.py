# SPDX-License-Identifier: Apache-2.0
"""Settings of a JSON file, with a scale that is popped, and defaults."""

import json

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
for text in ('{"lr": 0.5, "loss_scale": 16}', '{"lr": 0.5}', '{"lr": 0.5, "loss_scale": "dynamic"}'):
    config = json.loads(text)
    scale = config.pop("loss_scale", "dynamic")
    opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(config["lr"]), scale)
    print(scale, sorted(config), opt.get_config()["loss_scale"] if scale == "never" else "", float(opt.get_scaled_loss(tf.constant(1.0))))

# SPDX-License-Identifier: Apache-2.0
"""A match statement takes a policy and its loss scale out of a mapping."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
for config in [{"policy": "mixed_float16", "scale": 64}, {"policy": "mixed_bfloat16"}, {}]:
    match config:
        case {"policy": str() as name, "scale": scale}:
            mp.set_policy(mp.Policy(name, loss_scale=scale))
        case {"policy": name}:
            mp.set_policy(name)
        case _:
            mp.set_policy("float32")
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(tf.keras.optimizers.SGD(0.125), "mse")
    model.fit(tf.ones([4, 2]), tf.ones([4, 1]), verbose=0)
    scaled = isinstance(model.optimizer, mp.LossScaleOptimizer)
    print(mp.global_policy().name, float(model.optimizer.loss_scale()) if scaled else None)

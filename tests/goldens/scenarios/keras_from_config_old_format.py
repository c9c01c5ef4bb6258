# SPDX-License-Identifier: Apache-2.0
"""A configuration written by 2.0 to 2.3 is read back, there and in 2.4."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

config = {
    "optimizer": {
        "class_name": "SGD",
        "config": {"learning_rate": 0.5, "momentum": 0.25, "decay": 0.0, "nesterov": False},
    },
    "loss_scale": {
        "class_name": "DynamicLossScale",
        "config": {"initial_loss_scale": 16.0, "increment_period": 1, "multiplier": 2.0},
    },
}
fixed = dict(config, loss_scale={"class_name": "FixedLossScale", "config": {"loss_scale_value": 3.0}})
for name, written in [("dynamic", config), ("fixed", fixed)]:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer.from_config(written)
    var = tf.Variable(1.0)
    observe(name + ".scale", opt.get_scaled_loss(tf.constant(1.0)))
    opt.minimize(lambda: var * 2.0, var_list=[var])
    observe(name + ".after.scale", opt.get_scaled_loss(tf.constant(1.0)))
    observe(name + ".after.var", var)
    observe(name + ".learning_rate", opt.lr)

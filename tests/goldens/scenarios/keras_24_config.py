# SPDX-License-Identifier: Apache-2.0
"""The configuration of the 2.4 optimizers, dynamic and fixed, and both formats read."""
# versions: 2.4
import tensorflow as tf

from observe import observe

new = tf.keras.mixed_precision.LossScaleOptimizer
old = tf.keras.mixed_precision.experimental.LossScaleOptimizer


def shown(opt):
    config = opt.get_config()
    config["inner_optimizer"] = config["inner_optimizer"]["class_name"]
    return config


observe("new.default", shown(new(tf.keras.optimizers.SGD())))
observe("new.dynamic", shown(new(tf.keras.optimizers.SGD(), True, 64, 5)))
observe("new.fixed", shown(new(tf.keras.optimizers.SGD(), dynamic=False, initial_scale=3)))
observe("old.dynamic", shown(old(tf.keras.optimizers.SGD(), "dynamic")))
observe("old.fixed", shown(old(tf.keras.optimizers.SGD(), 8)))
scaler = tf.mixed_precision.experimental.DynamicLossScale(128, 7)
observe("old.object", shown(old(tf.keras.optimizers.SGD(), scaler)))
again = new.from_config(old(tf.keras.optimizers.SGD(), scaler).get_config())
observe("from_new_format", shown(again))
from_old = {
    "optimizer": {"class_name": "SGD", "config": {"learning_rate": 0.5}},
    "loss_scale": {
        "class_name": "DynamicLossScale",
        "config": {"initial_loss_scale": 16.0, "increment_period": 9, "multiplier": 2},
    },
}
observe("from_old_format", shown(old.from_config(from_old)))
observe("from_old_format.isinstance", isinstance(old.from_config(from_old), old))
written = tf.keras.optimizers.serialize(new(tf.keras.optimizers.SGD()))
observe("class_name", written["class_name"])
observe("deserialized", isinstance(tf.keras.optimizers.deserialize(written), new))

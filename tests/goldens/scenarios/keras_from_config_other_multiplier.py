# SPDX-License-Identifier: Apache-2.0
"""A configuration with a multiplier of 4 is read by 2.0 to 2.3 and refused by 2.4."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe_error

config = {
    "optimizer": {"class_name": "SGD", "config": {"learning_rate": 0.5}},
    "loss_scale": {
        "class_name": "DynamicLossScale",
        "config": {"initial_loss_scale": 16.0, "increment_period": 3, "multiplier": 4.0},
    },
}
observe_error(
    "from_config",
    lambda: tf.keras.mixed_precision.experimental.LossScaleOptimizer.from_config(config),
)

# SPDX-License-Identifier: Apache-2.0
"""A configuration in the format of 2.4: older versions cannot read it."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe_error

config = {
    "inner_optimizer": {"class_name": "SGD", "config": {"learning_rate": 0.5}},
    "dynamic": True,
    "initial_scale": 8.0,
    "dynamic_growth_steps": 3,
}
observe_error(
    "from_config",
    lambda: tf.keras.mixed_precision.experimental.LossScaleOptimizer.from_config(config),
)

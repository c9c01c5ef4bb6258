# SPDX-License-Identifier: Apache-2.0
"""The equivalences that the 2.4 documentation states between the two generations."""
# versions: 2.4
import tensorflow as tf

from observe import observe

old = tf.keras.mixed_precision.experimental.LossScaleOptimizer
new = tf.keras.mixed_precision.LossScaleOptimizer
opt1 = old(tf.keras.optimizers.SGD(), loss_scale="dynamic")
opt2 = new(tf.keras.optimizers.SGD())
observe("dynamic", opt1.get_config() == opt2.get_config())
opt1 = old(tf.keras.optimizers.SGD(), loss_scale=123)
opt2 = new(tf.keras.optimizers.SGD(), dynamic=False, initial_scale=123)
observe("fixed", opt1.get_config() == opt2.get_config())
loss_scale = tf.compat.v1.mixed_precision.experimental.DynamicLossScale(
    initial_loss_scale=2048, increment_period=500
)
opt1 = old(tf.keras.optimizers.SGD(), loss_scale=loss_scale)
opt2 = new(tf.keras.optimizers.SGD(), initial_scale=2048, dynamic_growth_steps=500)
observe("object", opt1.get_config() == opt2.get_config())
observe("old_is_new", isinstance(opt1, new))
observe("new_is_old", isinstance(opt2, old))
observe("subclass", issubclass(old, new))

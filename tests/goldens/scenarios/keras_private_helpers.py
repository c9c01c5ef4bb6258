# SPDX-License-Identifier: Apache-2.0
"""Helpers in private modules that programs import."""
# versions: 2.2 2.3
import tensorflow as tf
from tensorflow.python.keras.mixed_precision.experimental import autocast_variable
from tensorflow.python.keras.mixed_precision.experimental import device_compatibility_check
from tensorflow.python.keras.mixed_precision.experimental import loss_scale_optimizer
from tensorflow.python.keras.mixed_precision.experimental import policy
from tensorflow.python.keras.mixed_precision.experimental.get_layer_policy import get_layer_policy

from observe import observe

observe("strategy", loss_scale_optimizer.strategy_supports_loss_scaling())
observe("unwrap", loss_scale_optimizer._UnwrapPreventer([1, 2]).value)
given = policy.Policy("mixed_float16", loss_scale=8)
again = policy.deserialize(policy.serialize(given))
observe("policy.name", again.name)
observe("policy.loss_scale", again.loss_scale())
observe("dtype", policy.serialize(policy.Policy("float32")))
with policy.policy_scope(given):
    layer = tf.keras.layers.Dense(1)
observe("layer", get_layer_policy(layer) is given)
layer.build((1, 1))
observe("autocast", isinstance(layer.kernel, autocast_variable.AutoCastVariable))
made = autocast_variable.create_autocast_variable(tf.Variable(1.0))
observe("made", made)
observe("check", callable(device_compatibility_check.log_device_compatibility_check))

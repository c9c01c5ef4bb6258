# SPDX-License-Identifier: Apache-2.0
"""A policy's get_config names the loss scale only if it was given; from_config reads it."""
# versions: 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

Policy = tf.keras.mixed_precision.experimental.Policy
for name, policy in [
    ("default", Policy("mixed_float16")),
    ("number", Policy("mixed_float16", loss_scale=8)),
    ("none", Policy("mixed_float16", loss_scale=None)),
    ("dynamic", Policy("mixed_float16", loss_scale="dynamic")),
    ("float32", Policy("float32")),
]:
    config = policy.get_config()
    observe(name + ".config", config)
    again = Policy.from_config(config)
    observe(name + ".again", again.get_config())
    observe(name + ".again.scale", again.loss_scale() if again.loss_scale else None)
    observe(name + ".isinstance", isinstance(again, Policy))

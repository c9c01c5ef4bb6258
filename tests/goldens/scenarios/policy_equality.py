# SPDX-License-Identifier: Apache-2.0
"""Policies are compared by what they are."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

Policy = tf.keras.mixed_precision.experimental.Policy
one = Policy("mixed_float16", loss_scale=8)
observe("same_object", one == one)
observe("other_name", one == Policy("float32"))
observe("other_type", one == "mixed_float16")
observe("isinstance", isinstance(one, Policy))

# SPDX-License-Identifier: Apache-2.0
"""The loss scale of the policy set by name: there up to 2.3, absent in 2.4."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe, observe_error

mp = tf.keras.mixed_precision.experimental
mp.set_policy("mixed_float16")
observe_error("read", lambda: mp.global_policy().loss_scale)
observe("isinstance", isinstance(mp.global_policy(), mp.Policy))
loss_scale = getattr(mp.global_policy(), "loss_scale", None)
observe("scale", None if loss_scale is None else loss_scale())

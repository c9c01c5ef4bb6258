# SPDX-License-Identifier: Apache-2.0
"""What DynamicLossScale() and FixedLossScale(x) say of themselves."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe, observe_error

exp = tf.train.experimental
dynamic = exp.DynamicLossScale()
observe("dynamic.scale", dynamic())
observe("dynamic.repr", repr(dynamic))
observe("dynamic.config", dynamic.get_config())
observe("dynamic.initial_loss_scale", dynamic.initial_loss_scale)
observe("dynamic.increment_period", dynamic.increment_period)
observe("dynamic.multiplier", dynamic.multiplier)
fixed = exp.FixedLossScale(12)
observe("fixed.scale", fixed())
observe("fixed.repr", repr(fixed))
observe("fixed.config", fixed.get_config())
again = exp.DynamicLossScale.from_config(exp.DynamicLossScale(32, 7, 3.0).get_config())
observe("again.config", again.get_config())
observe("again.repr", repr(again))
observe("fixed_again.config", exp.FixedLossScale.from_config({"loss_scale_value": 3}).get_config())
observe_error("fixed_half", lambda: exp.FixedLossScale(0.5))
observe_error("fixed_text", lambda: exp.FixedLossScale("big"))
observe_error("fixed_none", lambda: exp.FixedLossScale(None))
observe_error("fixed_tensor", lambda: exp.FixedLossScale(tf.constant(8.0)))
observe_error("base", lambda: exp.LossScale())
observe_error("dynamic_text", lambda: exp.DynamicLossScale("big"))
observe_error("dynamic_period", lambda: exp.DynamicLossScale(8, "often"))

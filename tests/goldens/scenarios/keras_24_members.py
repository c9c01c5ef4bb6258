# SPDX-License-Identifier: Apache-2.0
"""The members of the 2.4 optimizer, dynamic and fixed."""
# versions: 2.4
import tensorflow as tf

from observe import observe, observe_error

inner = tf.keras.optimizers.SGD(0.5)
opt = tf.keras.mixed_precision.LossScaleOptimizer(inner)
observe("dynamic.dynamic", opt.dynamic)
observe("dynamic.scale", opt.loss_scale)
observe("dynamic.initial_scale", opt.initial_scale)
observe("dynamic.growth_steps", opt.dynamic_growth_steps)
observe("dynamic.counter", opt.dynamic_counter)
observe("dynamic.counter_dtype", opt.dynamic_counter.dtype)
observe("inner_is_given", opt.inner_optimizer is inner)
observe("scale_dtype", opt.loss_scale.dtype)
observe("scale_is_tensor", isinstance(opt.loss_scale, tf.Tensor))
fixed = tf.keras.mixed_precision.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.5), dynamic=False, initial_scale=2
)
observe("fixed.dynamic", fixed.dynamic)
observe("fixed.scale", fixed.loss_scale)
observe("fixed.initial_scale", fixed.initial_scale)
observe("fixed.growth_steps", fixed.dynamic_growth_steps)
observe("fixed.counter", fixed.dynamic_counter)
observe_error("set_scale", lambda: setattr(opt, "loss_scale", 4.0))
observe_error("set_dynamic", lambda: setattr(opt, "dynamic", False))

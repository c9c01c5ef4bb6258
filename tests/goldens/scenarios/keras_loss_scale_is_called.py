# SPDX-License-Identifier: Apache-2.0
"""Up to 2.3 the scale was read by calling opt.loss_scale, a LossScale object."""
# versions: 2.0 2.1 2.2 2.3
import tensorflow as tf

from observe import observe

exp = tf.train.experimental
for name, loss_scale in [("fixed", 4), ("dynamic", "dynamic"), ("object", exp.DynamicLossScale(2, 3, 4))]:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(), loss_scale
    )
    observe(name + ".scale", opt.loss_scale())
    observe(name + ".dtype", opt.loss_scale().dtype)
    observe(name + ".is_loss_scale", isinstance(opt.loss_scale, exp.LossScale))
    observe(name + ".is_fixed", isinstance(opt.loss_scale, exp.FixedLossScale))
    observe(name + ".is_dynamic", isinstance(opt.loss_scale, exp.DynamicLossScale))
    observe(name + ".class", type(opt.loss_scale))
    if isinstance(opt.loss_scale, exp.DynamicLossScale):
        observe(name + ".initial_loss_scale", opt.loss_scale.initial_loss_scale)
        observe(name + ".increment_period", opt.loss_scale.increment_period)
        observe(name + ".multiplier", opt.loss_scale.multiplier)

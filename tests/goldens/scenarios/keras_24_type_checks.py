# SPDX-License-Identifier: Apache-2.0
"""isinstance and type() of both optimizers of 2.4, under public and private names."""
# versions: 2.4
import tensorflow as tf
from tensorflow.python.keras.mixed_precision import loss_scale_optimizer as lso

from observe import observe

new = tf.keras.mixed_precision.LossScaleOptimizer
old = tf.keras.mixed_precision.experimental.LossScaleOptimizer
for name, opt in [("new", new(tf.keras.optimizers.SGD())), ("old", old(tf.keras.optimizers.SGD(), 8))]:
    observe(name + ".is_new", isinstance(opt, new))
    observe(name + ".is_old", isinstance(opt, old))
    observe(name + ".private", isinstance(opt, lso.LossScaleOptimizer))
    observe(name + ".is_optimizer", isinstance(opt, tf.keras.optimizers.Optimizer))
    observe(name + ".type_is", type(opt) in (new, old))
observe("type_is_new", type(new(tf.keras.optimizers.SGD())) is new)
observe("type_is_old", type(old(tf.keras.optimizers.SGD(), 8)) is old)
observe("type_constructs", isinstance(type(new(tf.keras.optimizers.SGD()))(tf.keras.optimizers.SGD()), new))
observe("v1_name", tf.compat.v1.keras.mixed_precision.LossScaleOptimizer is new)

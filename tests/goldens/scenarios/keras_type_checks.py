# SPDX-License-Identifier: Apache-2.0
"""isinstance and type() of the wrapper, its parts and its names."""
# versions: 2.0 2.1 2.2 2.3
import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
from tensorflow.python.keras.mixed_precision.experimental import loss_scale_optimizer as lso

from observe import observe

inner = tf.keras.optimizers.SGD(1.0)
opt = LossScaleOptimizer(inner, "dynamic")
observe("isinstance", isinstance(opt, LossScaleOptimizer))
observe("type_is", type(opt) is LossScaleOptimizer)
observe("type_equals", type(opt) == tf.keras.mixed_precision.experimental.LossScaleOptimizer)
observe("private_isinstance", isinstance(opt, lso.LossScaleOptimizer))
observe("v1_name", tf.compat.v1.keras.mixed_precision.experimental.LossScaleOptimizer
        is LossScaleOptimizer)
observe("is_optimizer", isinstance(opt, tf.keras.optimizers.Optimizer))
observe("inner_isinstance", isinstance(inner, LossScaleOptimizer))
observe("type_constructs", isinstance(type(opt)(tf.keras.optimizers.SGD(), 8), LossScaleOptimizer))
observe("in_tuple", isinstance(opt, (LossScaleOptimizer, tf.keras.optimizers.SGD)))
observe("is_sgd", isinstance(opt, tf.keras.optimizers.SGD))
observe("inner_class", type(opt._optimizer))

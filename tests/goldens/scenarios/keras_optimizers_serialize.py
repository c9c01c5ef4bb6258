# SPDX-License-Identifier: Apache-2.0
"""optimizers.serialize and deserialize of a wrapped optimizer."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer

from observe import observe

opt = LossScaleOptimizer(tf.keras.optimizers.Adam(0.25), 64)
written = tf.keras.optimizers.serialize(opt)
observe("keys", sorted(written))
custom = {"LossScaleOptimizer": LossScaleOptimizer, "LossScaleOptimizerV1": LossScaleOptimizer}
again = tf.keras.optimizers.deserialize(written, custom_objects=custom)
observe("isinstance", isinstance(again, LossScaleOptimizer))
observe("scale", again.get_scaled_loss(tf.constant(1.0)))
observe("inner", type(again._optimizer))
observe("learning_rate", again.lr)
got = tf.keras.optimizers.get(opt)
observe("get_is_same", got is opt)

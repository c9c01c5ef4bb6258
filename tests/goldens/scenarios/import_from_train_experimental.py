# SPDX-License-Identifier: Apache-2.0
"""The loss-scale classes imported by name from tensorflow.train.experimental, as 2.2 allowed."""
# versions: 2.2 2.3 2.4
import tensorflow as tf
from tensorflow.mixed_precision.experimental import DynamicLossScale as Dynamic
from tensorflow.train.experimental import DynamicLossScale, FixedLossScale

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0), loss_scale=FixedLossScale(4)
)
observe("scale", opt.get_scaled_loss(tf.constant(1.0)))
observe("same", Dynamic is DynamicLossScale)
observe("dynamic.scale", Dynamic(8, 2)())

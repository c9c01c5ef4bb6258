# SPDX-License-Identifier: Apache-2.0
"""The class name that optimizers.serialize writes."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer

from observe import observe, observe_error

opt = LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
written = tf.keras.optimizers.serialize(opt)
observe("class_name", written["class_name"])
observe_error("deserialize", lambda: tf.keras.optimizers.deserialize(written))

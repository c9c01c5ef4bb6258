# SPDX-License-Identifier: Apache-2.0
"""None as the loss scale is an error in every version, of several types."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer

from observe import observe_error

observe_error("none", lambda: LossScaleOptimizer(tf.keras.optimizers.SGD(), None))
observe_error(
    "keyword", lambda: LossScaleOptimizer(tf.keras.optimizers.SGD(), loss_scale=None)
)
observe_error("missing", lambda: LossScaleOptimizer(tf.keras.optimizers.SGD()))

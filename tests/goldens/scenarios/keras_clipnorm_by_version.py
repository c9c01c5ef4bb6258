# SPDX-License-Identifier: Apache-2.0
"""An inner optimizer that clips: refused up to 2.3, works on unscaled gradients from 2.4."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe_error

wrap = tf.keras.mixed_precision.experimental.LossScaleOptimizer
observe_error("clipnorm", lambda: wrap(tf.keras.optimizers.SGD(1.0, clipnorm=1.0), "dynamic"))
observe_error("clipvalue", lambda: wrap(tf.keras.optimizers.SGD(1.0, clipvalue=1.0), 8))

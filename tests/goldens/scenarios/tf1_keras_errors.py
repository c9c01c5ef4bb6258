# SPDX-License-Identifier: Apache-2.0
"""What the Keras wrapper of 1.14 and 1.15 refuses."""
# versions: 1.14 1.15
# run: --tf1
import tensorflow as tf

from observe import observe_error

tf.compat.v1.enable_v2_behavior()
wrap = tf.keras.mixed_precision.experimental.LossScaleOptimizer
observe_error("number", lambda: wrap(5, "dynamic"))
observe_error("v1", lambda: wrap(tf.compat.v1.train.GradientDescentOptimizer(1.0), "dynamic"))
observe_error("text", lambda: wrap(tf.keras.optimizers.SGD(), "foo"))
observe_error("missing", lambda: wrap(tf.keras.optimizers.SGD()))

# SPDX-License-Identifier: Apache-2.0
"""What the experimental optimizer says when it is given no Keras optimizer."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe_error

wrap = tf.keras.mixed_precision.experimental.LossScaleOptimizer
observe_error("number", lambda: wrap(5, "dynamic"))
observe_error("none", lambda: wrap(None, "dynamic"))
observe_error("name", lambda: wrap("sgd", "dynamic"))
observe_error("class", lambda: wrap(tf.keras.optimizers.SGD, "dynamic"))
observe_error("v1", lambda: wrap(tf.compat.v1.train.GradientDescentOptimizer(1.0), 8))

# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments of the v1 optimizer."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe_error

tf.disable_v2_behavior()
wrap = tf.train.experimental.MixedPrecisionLossScaleOptimizer
sgd = tf.train.GradientDescentOptimizer
observe_error("keras", lambda: wrap(tf.keras.optimizers.SGD(), "dynamic"))
observe_error("number_as_optimizer", lambda: wrap(5, "dynamic"))
observe_error("none_as_optimizer", lambda: wrap(None, 8))
observe_error("text", lambda: wrap(sgd(1.0), "foo"))
observe_error("list", lambda: wrap(sgd(1.0), [8.0]))
observe_error("half", lambda: wrap(sgd(1.0), 0.5))
observe_error("missing", lambda: wrap(sgd(1.0)))
observe_error("wrapper", lambda: wrap(wrap(sgd(1.0), 8), 8))
observe_error("true", lambda: wrap(sgd(1.0), True))
var = tf.get_variable("var", initializer=1.0)
observe_error("no_gradients", lambda: wrap(sgd(1.0), 8).apply_gradients([(None, var)]))
observe_error("empty", lambda: wrap(sgd(1.0), 8).apply_gradients([]))

# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments of the 2.4 constructor."""
# versions: 2.4
import tensorflow as tf

from observe import observe_error

new = tf.keras.mixed_precision.LossScaleOptimizer
sgd = tf.keras.optimizers.SGD
observe_error("text", lambda: new(sgd(), "dynamic"))
observe_error("number_as_dynamic", lambda: new(sgd(), 128))
observe_error("old_keyword", lambda: new(sgd(), loss_scale="dynamic"))
observe_error("fixed_without_scale", lambda: new(sgd(), dynamic=False))
observe_error("fixed_with_growth", lambda: new(sgd(), False, 8, 100))
observe_error("not_an_optimizer", lambda: new(5))
observe_error("v1", lambda: new(tf.compat.v1.train.GradientDescentOptimizer(1.0)))
observe_error("text_scale", lambda: new(sgd(), initial_scale="big"))
observe_error("wrapper", lambda: new(new(sgd())))
inner = sgd()
observe_error("first", lambda: new(inner))
observe_error("second", lambda: new(inner))

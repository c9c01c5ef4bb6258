# SPDX-License-Identifier: Apache-2.0
"""Wrapping one optimizer twice, and wrapping a wrapper: errors from 2.3 on."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe_error

wrap = tf.keras.mixed_precision.experimental.LossScaleOptimizer
inner = tf.keras.optimizers.SGD(1.0)
observe_error("first", lambda: wrap(inner, "dynamic"))
observe_error("second", lambda: wrap(inner, "dynamic"))
wrapper = wrap(tf.keras.optimizers.SGD(1.0), "dynamic")
observe_error("wrapper", lambda: wrap(wrapper, "dynamic"))

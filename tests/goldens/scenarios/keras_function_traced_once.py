# SPDX-License-Identifier: Apache-2.0
"""Changing scales do not retrace the training function, nor does a skipped step."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.Adam(0.5), tf.train.experimental.DynamicLossScale(8.0, 1)
)
var = tf.Variable(1.0)
traces = []


@tf.function
def step(gradient):
    traces.append(1)
    opt.apply_gradients([(gradient, var)])


step(tf.constant(1.0))
first = len(traces)
for value in [1.0, float("nan"), 1.0, float("inf"), 1.0]:
    step(tf.constant(value))
observe("retraced", len(traces) - first)
observe("scale", opt.get_scaled_loss(tf.constant(1.0)))

# SPDX-License-Identifier: Apache-2.0
"""Hyperparameters besides the learning rate: delegated from 2.4 on."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe, observe_error

inner = tf.keras.optimizers.Adam(0.5, beta_1=0.75)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(inner, "dynamic")
observe_error("beta_1", lambda: opt.beta_1)
observe_error("epsilon", lambda: opt.epsilon)
observe_error("nonsense", lambda: opt.nonsense)
momentum = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.5, momentum=0.25), "dynamic"
)
observe_error("momentum", lambda: momentum.momentum)
opt.beta_1 = 0.5
observe("set.inner_beta_1", inner.beta_1)

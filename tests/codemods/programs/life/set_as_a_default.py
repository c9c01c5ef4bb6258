# SPDX-License-Identifier: Apache-2.0
"""The loss scale object goes into a dictionary, by setdefault and update."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(32, 1)
)
state = {}
state.setdefault("scale", opt.loss_scale)
state.update(opt=opt, **{"again": opt.loss_scale})
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan")]:
    state["opt"].apply_gradients([(tf.constant(gradient), weight)])
    print(float(state["scale"]()), float(state["again"]()), float(state["opt"].loss_scale()))

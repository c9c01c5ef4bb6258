# SPDX-License-Identifier: Apache-2.0
"""The loss scale is asked for through `operator` and `functools`."""

import functools
import operator

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
print(float(operator.methodcaller("loss_scale")(opt)))
print(float(operator.attrgetter("loss_scale")(opt)()))
print(float(functools.reduce(getattr, ["loss_scale"], opt)()))

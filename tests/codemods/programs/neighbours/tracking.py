# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's modules of what checkpoints track, under the names that they had up to 2.9."""

import tensorflow as tf
from tensorflow.python.training.tracking import base
from tensorflow.python.training.tracking import data_structures as structures


class Holder(base.Trackable):
    pass


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())
kept = structures.wrap_or_unwrap([weight])
print(type(kept).__name__, isinstance(Holder(), base.Trackable), isinstance(opt, base.Trackable))

# SPDX-License-Identifier: Apache-2.0
"""Abstract classes in `collections`, up to Python 3.9; read and imported."""

import collections
from collections import Iterable, OrderedDict

import tensorflow as tf

config = collections.OrderedDict(lr=0.25)
print(isinstance(config, collections.Mapping), isinstance(config, (collections.Sequence, OrderedDict)), isinstance([], Iterable))
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(config["lr"]), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())

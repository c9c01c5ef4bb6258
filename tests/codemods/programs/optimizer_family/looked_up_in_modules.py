# SPDX-License-Identifier: Apache-2.0
"""Classes are looked up in sys.modules, in __dict__ and among members."""

import importlib
import inspect
import sys

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
found = dict(inspect.getmembers(tf.keras.optimizers, inspect.isclass))
made = [
    found["SGD"](0.25, decay=0.5),
    tf.keras.optimizers.__dict__["SGD"](0.25, decay=0.5),
    importlib.import_module("tensorflow.keras.optimizers").SGD(0.25, decay=0.5),
]
for inner in made:
    opt = mp.LossScaleOptimizer(inner, 8)
    weight = tf.Variable(1.0)
    for gradient in [1.0, 2.0]:
        opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy())

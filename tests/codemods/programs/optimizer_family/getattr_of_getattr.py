# SPDX-License-Identifier: Apache-2.0
"""The class is looked up by two nested calls of getattr."""

import operator

import tensorflow as tf

first = getattr(getattr(tf.keras, "optimizers"), "SGD")(0.25, decay=0.5)
second = operator.attrgetter("optimizers.Adam")(tf.keras)(0.25, decay=0.5)
for inner in [first, second]:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(inner, 8)
    weight = tf.Variable(1.0)
    for gradient in [1.0, 2.0]:
        opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), type(inner).__mro__[1].__name__)

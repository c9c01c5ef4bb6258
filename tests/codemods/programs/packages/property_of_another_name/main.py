# SPDX-License-Identifier: Apache-2.0
"""A property of another file, by a name of its own, gives the loss scale."""

import tensorflow as tf
from trainer import Trainer

t = Trainer(tf.keras.optimizers.SGD(0.25))
t.train(tf.Variable([1.0]), tf.constant([float("nan")]))
print("scale %.1f" % t.current_scale())

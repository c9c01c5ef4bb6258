# SPDX-License-Identifier: Apache-2.0
"""A property of another file gives the loss scale."""

import tensorflow as tf
from trainer import Trainer

t = Trainer(tf.keras.optimizers.Adam(0.1), amp=True)
v = tf.Variable([1.0])
t.train(v, tf.constant([float("nan")]))
print("loss scale is now %.1f" % t.loss_scale())
print(t.loss_scale.get_config())

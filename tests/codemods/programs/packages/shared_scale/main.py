# SPDX-License-Identifier: Apache-2.0
"""A module makes one loss scale for two others."""

import tensorflow as tf
from generator import opt
from scale import loss_scale

weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
print(loss_scale().numpy())

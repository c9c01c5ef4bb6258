# SPDX-License-Identifier: Apache-2.0
"""A function of another file returns the loss scale."""

import tensorflow as tf
from training import get_loss_scale, opt

v = tf.Variable([1.0])
scale = get_loss_scale()
opt.apply_gradients([(tf.constant([float("nan")]), v)])
print(scale().numpy())

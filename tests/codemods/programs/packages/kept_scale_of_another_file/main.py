# SPDX-License-Identifier: Apache-2.0
"""A file without an old name keeps the loss scale of an optimizer that another file makes."""

import tensorflow as tf
from optimizers import opt

scale = opt.loss_scale
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(float("inf")), weight)])
print(scale().numpy(), weight.numpy())

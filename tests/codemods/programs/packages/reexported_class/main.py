# SPDX-License-Identifier: Apache-2.0
"""A module offers the class, and others import it from there."""

import tensorflow as tf
from first import opt
from wrappers import LossScaleOptimizer

print(isinstance(opt, LossScaleOptimizer), opt.get_scaled_loss(tf.constant(1.0)).numpy())

# SPDX-License-Identifier: Apache-2.0
"""The optimizer is set on a module, and read by a file that does not name TensorFlow."""

import tensorflow as tf
import state
import work

state.opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(1.0), 16)
print(work.scale(), state.opt.loss_scale().numpy())

# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf

loss_scale = tf.train.experimental.DynamicLossScale(64, 1)

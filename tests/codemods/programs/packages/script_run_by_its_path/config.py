# SPDX-License-Identifier: Apache-2.0
import tensorflow as tf

OPTIMIZER = tf.keras.optimizers.Adam(0.1, decay=0.5)

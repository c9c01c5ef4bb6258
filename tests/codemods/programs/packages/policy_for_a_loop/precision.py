# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


def set_precision(dtype, loss_scale=None):
    if dtype == tf.float16:
        policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=loss_scale)
        tf.keras.mixed_precision.experimental.set_policy(policy)
    else:
        tf.keras.mixed_precision.experimental.set_policy("float32")

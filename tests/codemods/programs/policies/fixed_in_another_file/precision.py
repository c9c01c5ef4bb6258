# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy(
    tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=8)
)

# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


def use(name):
    tf.keras.mixed_precision.experimental.set_policy(name)

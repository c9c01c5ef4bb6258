# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf

OPTIMIZERS = {"adam": tf.keras.optimizers.Adam, "rmsprop": tf.keras.optimizers.RMSprop}


def make(name, rate):
    return OPTIMIZERS[name](rate)

# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


def make(name):
    return {"adam": tf.keras.optimizers.Adam, "sgd": tf.keras.optimizers.SGD}[name](0.25)

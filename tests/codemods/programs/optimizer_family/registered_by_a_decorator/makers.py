# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf

MAKERS = {}


def register(name):
    def add(maker):
        MAKERS[name] = maker
        return maker

    return add


@register("sgd")
def _sgd(rate):
    return tf.keras.optimizers.SGD(rate, decay=0.5)


@register("rmsprop")
def _rmsprop(rate):
    return tf.optimizers.RMSprop(rate, decay=0.5)

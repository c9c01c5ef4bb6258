# SPDX-License-Identifier: Apache-2.0
"""A decorator wraps what a factory makes."""

import functools

import tensorflow as tf

AMP = {"enabled": True, "loss_scale": 128}


def mixed(factory):
    @functools.wraps(factory)
    def make(*args, amp=AMP["enabled"], **kwargs):
        opt = factory(*args, **kwargs)
        return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, AMP["loss_scale"]) if amp else opt
    return make


@mixed
def adam(lr, **kwargs):
    return tf.keras.optimizers.Adam(lr, **kwargs)


@mixed
def sgd(lr, nesterov=False):
    return tf.keras.optimizers.SGD(lr, momentum=0.9, nesterov=nesterov)


for opt in (adam(0.1, amsgrad=True), sgd(0.1, nesterov=True), sgd(0.1, amp=False)):
    v = tf.Variable([1.0])
    for _ in range(3):
        opt.apply_gradients([(v * 2.0, v)])
    print(type(opt).__name__, v.numpy().tolist(), sorted(opt.get_slot_names()))

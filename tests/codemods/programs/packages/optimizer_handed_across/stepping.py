# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


def run(opt):
    weight = tf.Variable(1.0)
    for gradient in (1.0, 0.5):
        opt.apply_gradients([(tf.constant(gradient), weight)])
    return weight.numpy()

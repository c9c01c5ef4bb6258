# SPDX-License-Identifier: Apache-2.0
"""Settings at the top are changed by the command line before the optimizer is made."""

import sys

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as prec

SCALE = None


def main(argv):
    global SCALE
    SCALE = float(argv[1]) if len(argv) > 1 else 32
    return prec.LossScaleOptimizer(tf.optimizers.SGD(0.5), SCALE if SCALE else "dynamic")


if __name__ == "__main__":
    opt = main(["x"])
    weight = tf.Variable(1.0)
    opt.apply_gradients([(tf.constant(32.0), weight)])
    print(weight.numpy(), float(opt.get_scaled_loss(tf.constant(1.0))))

# SPDX-License-Identifier: Apache-2.0
"""The loss scale of a command's option."""

import argparse

import tensorflow as tf


def loss_scale(text):
    return text if text == "dynamic" else float(text)


parser = argparse.ArgumentParser()
parser.add_argument("--loss_scale", type=loss_scale, default="dynamic")
for given in ([], ["--loss_scale", "64"]):
    flags = parser.parse_args(given)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale=flags.loss_scale)
    print(opt.get_scaled_loss(tf.constant(1.0)).numpy())

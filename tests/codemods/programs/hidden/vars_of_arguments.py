# SPDX-License-Identifier: Apache-2.0
"""The optimizer is put into a namespace of arguments, and read from there."""

import argparse

import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--loss_scale", default=64.0, type=float)
parser.add_argument("--fp16", action="store_true", default=True)
args = parser.parse_args([])
args.optimizer = tf.keras.optimizers.Adam(0.1)
if args.fp16:
    args.optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        args.optimizer, args.loss_scale
    )
weight = tf.Variable(1.0)
args.optimizer.apply_gradients([(weight * 64.0, weight)])
print(args.loss_scale, weight.numpy(), float(vars(args)["optimizer"].loss_scale()))

# SPDX-License-Identifier: Apache-2.0
"""Trains with and without float16, as flags say."""

import argparse

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision


def parse_args(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--fp16", action="store_true")
    parser.add_argument("--loss_scale", default="dynamic", help="'dynamic' or a number")
    parser.add_argument("--learning_rate", type=float, default=0.1)
    return parser.parse_args(argv)


def get_loss_scale(args):
    if args.loss_scale == "dynamic":
        return args.loss_scale
    return float(args.loss_scale)


def train(args):
    optimizer = tf.keras.optimizers.SGD(args.learning_rate, momentum=0.9)
    if args.fp16:
        mixed_precision.set_policy(mixed_precision.Policy("mixed_float16"))
        optimizer = mixed_precision.LossScaleOptimizer(
            optimizer, loss_scale=get_loss_scale(args))
    w = tf.Variable([3.0, -1.0])

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(w ** 2)
            scaled = optimizer.get_scaled_loss(loss) if args.fp16 else loss
        grads = tape.gradient(scaled, [w])
        if args.fp16:
            grads = optimizer.get_unscaled_gradients(grads)
        optimizer.apply_gradients(zip(grads, [w]))
        return loss

    for _ in range(3):
        loss = step()
    scale = float(optimizer.loss_scale()) if args.fp16 else 1.0
    print(args.fp16, args.loss_scale, "%.6f" % loss, scale, w.numpy().tolist())
    mixed_precision.set_policy("float32")


for argv in ([], ["--fp16"], ["--fp16", "--loss_scale", "64"], ["--fp16", "--learning_rate=1e-3"]):
    train(parse_args(argv))

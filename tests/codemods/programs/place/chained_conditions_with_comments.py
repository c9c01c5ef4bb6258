# SPDX-License-Identifier: Apache-2.0
"""Wrapped, rewritten or neither, in one expression."""

import argparse

import tensorflow as tf

args = argparse.Namespace(fp16=True, amp=False, lr=0.1, scale=None)
optimizer = (
    tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.Adam(  # the paper's
            args.lr, epsilon=1e-4  # float16 needs more
        ),
        # Until it overflows.
        loss_scale="dynamic",  # as in NVIDIA's examples
    )
    if args.fp16
    else tf.train.experimental.enable_mixed_precision_graph_rewrite(
        tf.keras.optimizers.Adam(args.lr)
    )
    if args.amp
    else tf.keras.optimizers.Adam(args.lr)
)
assert optimizer.loss_scale() == 2 ** 15, "starts at 2**15"
print(type(optimizer).__name__, float(optimizer.loss_scale()), float(optimizer.lr))
print(bool(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision")))

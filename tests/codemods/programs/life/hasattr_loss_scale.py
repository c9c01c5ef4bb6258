# SPDX-License-Identifier: Apache-2.0
"""Code that takes any optimizer asks for its parts by hasattr."""

import tensorflow as tf


def describe(opt):
    found = [n for n in ("loss_scale", "_loss_scale", "_optimizer", "get_scaled_loss") if hasattr(opt, n)]
    if hasattr(opt, "_optimizer"):
        opt = opt._optimizer
    return found, type(opt).__name__, float(opt.lr)


for make in (lambda o: o, lambda o: tf.keras.mixed_precision.experimental.LossScaleOptimizer(o, 8)):
    print(describe(make(tf.keras.optimizers.SGD(0.5))))

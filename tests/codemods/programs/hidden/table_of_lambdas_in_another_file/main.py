# SPDX-License-Identifier: Apache-2.0
"""A table in another file has lambdas that make the optimizers."""

import tensorflow as tf
from registry import OPTIMIZERS

for name in ["half", "full"]:
    opt = OPTIMIZERS[name]()
    weight = tf.Variable(1.0)
    for gradient in [1.0, 0.5]:
        opt.apply_gradients([(tf.constant(gradient), weight)])
        print(name, weight.numpy(), int(opt.iterations))
    if hasattr(opt, "loss_scale"):
        print(opt.loss_scale().numpy())

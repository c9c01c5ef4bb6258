# SPDX-License-Identifier: Apache-2.0
"""A dataclass in another file says the loss scale, as a number or a word."""

import tensorflow as tf
from config import Config, parse

for config in [Config(), Config(loss_scale=128.0), parse("loss_scale=64")]:
    opt = tf.keras.optimizers.SGD(config.rate)
    if config.loss_scale != 1:
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, config.loss_scale)
    weight = tf.Variable(1.0)
    opt.apply_gradients([(tf.constant(1.0), weight)])
    print(opt.loss_scale().numpy(), weight.numpy())

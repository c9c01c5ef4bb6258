# SPDX-License-Identifier: Apache-2.0
"""A replica reads the scale."""

import tensorflow as tf

devices = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(devices[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 1))
    weight = tf.Variable(1.0)


def replica():
    opt.apply_gradients([(tf.constant(1.0), weight)])
    return opt.loss_scale()


for _ in range(2):
    print(strategy.experimental_local_results(strategy.run(replica))[0].numpy())

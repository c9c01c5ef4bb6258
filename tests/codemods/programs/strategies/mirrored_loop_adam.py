# SPDX-License-Identifier: Apache-2.0
"""A loop on two replicas: adam."""

import tensorflow as tf

devices = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(devices[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.01), tf.train.experimental.DynamicLossScale(64, 2))
    weight = tf.Variable([1.0, 2.0])


@tf.function
def step(factor):
    def replica():
        index = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(weight * weight) * (factor + index)
            scaled_loss = opt.get_scaled_loss(loss)
        gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, [weight]))
        opt.apply_gradients(zip(gradients, [weight]))
        return loss

    return strategy.reduce("sum", strategy.run(replica), axis=None)


for factor in (1.0, 2.0, float("nan"), 1.0):
    print(float(step(factor)), weight.numpy().tolist())

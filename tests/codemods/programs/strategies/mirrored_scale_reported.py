# SPDX-License-Identifier: Apache-2.0
"""Each replica reports the loss scale, and the mean of them is printed."""

import tensorflow as tf

cpus = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
with strategy.scope():
    var = tf.Variable(1.0)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.Adam(0.5), loss_scale="dynamic"
    )


@tf.function
def train(factors):
    def replica():
        index = tf.distribute.get_replica_context().replica_id_in_sync_group
        grads = [tf.gather(factors, index) * opt.loss_scale()]
        opt.apply_gradients(zip(opt.get_unscaled_gradients(grads), [var]))
        return opt.loss_scale()

    return strategy.reduce(tf.distribute.ReduceOp.MEAN, strategy.run(replica), axis=None)


for factors in ([1.0, 2.0], [float("nan"), 1.0], [0.5, 0.5]):
    print(float(train(tf.constant(factors))), float(opt.loss_scale()), var.numpy())

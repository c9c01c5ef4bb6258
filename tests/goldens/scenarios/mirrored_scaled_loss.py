# SPDX-License-Identifier: Apache-2.0
"""Two replicas with the documented loop: each scales its loss, gradients add up, Adam applies."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

cpu = tf.config.experimental.list_physical_devices("CPU")[0]
tf.config.experimental.set_virtual_device_configuration(
    cpu, [tf.config.experimental.VirtualDeviceConfiguration()] * 2
)
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
run = getattr(strategy, "run", None) or strategy.experimental_run_v2
with strategy.scope():
    var = tf.Variable(2.0)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.25, momentum=0.5), "dynamic"
    )


@tf.function
def train_step(factors):
    def replica_step():
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        with tf.GradientTape() as tape:
            loss = var * tf.gather(factors, replica)
            scaled = opt.get_scaled_loss(loss)
        gradients = opt.get_unscaled_gradients(tape.gradient(scaled, [var]))
        opt.apply_gradients(zip(gradients, [var]))
        return loss

    return strategy.reduce(tf.distribute.ReduceOp.SUM, run(replica_step), axis=None)


for step, factors in enumerate([[1.0, 2.0], [1.0, float("inf")], [0.5, 0.5]]):
    observe("step%d.loss" % step, train_step(tf.constant(factors)))
    observe("step%d.var" % step, strategy.experimental_local_results(var)[1].numpy())
    observe("step%d.scale" % step, opt.get_scaled_loss(tf.constant(1.0)))

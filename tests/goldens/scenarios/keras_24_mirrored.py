# SPDX-License-Identifier: Apache-2.0
"""The 2.4 optimizer in tf.function on two replicas with a NaN on one of them."""
# versions: 2.4
import tensorflow as tf

from observe import observe

cpus = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
with strategy.scope():
    var = tf.Variable(1.0)
    opt = tf.keras.mixed_precision.LossScaleOptimizer(
        tf.keras.optimizers.Adam(0.5), initial_scale=8, dynamic_growth_steps=2
    )


@tf.function
def train_step(factors):
    def replica_step():
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        opt.apply_gradients([(tf.gather(factors, replica), var)])

    strategy.run(replica_step)


nan = float("nan")
for step, factors in enumerate([[1.0, 1.0], [2.0, 1.0], [nan, 1.0], [1.0, nan]]):
    train_step(tf.constant(factors))
    observe("step%d.var" % step, [v.numpy() for v in strategy.experimental_local_results(var)])
    observe("step%d.scale" % step, opt.loss_scale.numpy())
    observe("step%d.counter" % step, opt.dynamic_counter.numpy())
    observe("step%d.iterations" % step, opt.iterations.numpy())

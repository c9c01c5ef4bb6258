# SPDX-License-Identifier: Apache-2.0
"""Two replicas that sum their gradients and pass experimental_aggregate_gradients=False."""
# versions: 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

cpu = tf.config.experimental.list_physical_devices("CPU")[0]
tf.config.experimental.set_virtual_device_configuration(
    cpu, [tf.config.experimental.VirtualDeviceConfiguration()] * 2
)
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
with strategy.scope():
    var = tf.Variable(0.0)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(1.0), "dynamic"
    )


@tf.function
def train_step(factors):
    def replica_step():
        context = tf.distribute.get_replica_context()
        gradient = tf.gather(factors, context.replica_id_in_sync_group)
        (gradient,) = context.all_reduce("sum", [gradient])
        opt.apply_gradients([(gradient, var)], experimental_aggregate_gradients=False)

    strategy.run(replica_step)


for step, factors in enumerate([[1.0, 2.0], [1.0, float("nan")], [1.0, 1.0]]):
    train_step(tf.constant(factors))
    observe("step%d.var" % step, [v.numpy() for v in strategy.experimental_local_results(var)])
    observe("step%d.scale" % step, opt.get_scaled_loss(tf.constant(1.0)))

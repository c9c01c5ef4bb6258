# SPDX-License-Identifier: Apache-2.0
"""Two replicas with a fixed scale: nothing is checked, the sum of the gradients is applied."""
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
    var = tf.Variable(0.0)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(1.0), 4)


@tf.function
def train_step(factors):
    def replica_step():
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        opt.apply_gradients([(tf.gather(factors, replica), var)])

    run(replica_step)


for step, factors in enumerate([[1.0, 2.0], [0.5, float("inf")], [1.0, float("nan")]]):
    train_step(tf.constant(factors))
    observe("step%d.var" % step, [v.numpy() for v in strategy.experimental_local_results(var)])
observe("iterations", opt.iterations.numpy())

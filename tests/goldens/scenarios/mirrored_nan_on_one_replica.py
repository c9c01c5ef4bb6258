# SPDX-License-Identifier: Apache-2.0
"""Two replicas: a NaN on one of them skips the step on both and halves the scale once."""
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
    var = tf.Variable([1.0, 1.0])
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.5), tf.train.experimental.DynamicLossScale(32.0, 2)
    )


@tf.function
def train_step(factors):
    def replica_step():
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        gradient = tf.constant([1.0, 2.0]) * tf.gather(factors, replica)
        opt.apply_gradients([(gradient, var)])

    run(replica_step)


def scale():
    return opt.loss_scale if isinstance(opt.loss_scale, tf.Tensor) else opt.loss_scale()


nan = float("nan")
observe("replicas", strategy.num_replicas_in_sync)
for step, factors in enumerate([[1.0, 1.0], [1.0, nan], [nan, 1.0], [1.0, 3.0], [1.0, 1.0], [nan, nan]]):
    train_step(tf.constant(factors))
    values = strategy.experimental_local_results(var)
    observe("step%d.replicas" % step, [value.numpy() for value in values])
    observe("step%d.scale" % step, scale())

# SPDX-License-Identifier: Apache-2.0
"""Two replicas in TensorFlow 1.14 and 1.15 with v2 behavior, and a NaN on one of them."""
# versions: 1.14 1.15
# run: --tf1
import tensorflow as tf

from observe import observe

tf.enable_v2_behavior()
cpu = tf.config.experimental.list_physical_devices("CPU")[0]
tf.config.experimental.set_virtual_device_configuration(
    cpu, [tf.config.experimental.VirtualDeviceConfiguration()] * 2
)
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
run = getattr(strategy, "run", None) or strategy.experimental_run_v2
with strategy.scope():
    var = tf.Variable(0.0)
    scaler = tf.train.experimental.DynamicLossScale(32.0, 2)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.5), scaler
    )


@tf.function
def train_step(factors):
    def replica_step():
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        opt.apply_gradients([(tf.gather(factors, replica), var)])
        return tf.constant(0)

    run(replica_step)


nan = float("nan")
for step, factors in enumerate([[1.0, 1.0], [1.0, nan], [1.0, 3.0], [2.0, 2.0]]):
    train_step(tf.constant(factors))
    observe("step%d.var" % step, [v.numpy() for v in strategy.experimental_local_results(var)])
    observe("step%d.scale" % step, scaler().numpy())

# SPDX-License-Identifier: Apache-2.0
"""The v1 optimizer under MirroredStrategy in TensorFlow 1 graphs, one replica's NaN skipped."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()
config = tf.ConfigProto(device_count={"CPU": 2})
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
run = getattr(strategy, "run", None) or strategy.experimental_run_v2
factors = tf.placeholder(tf.float32, [2])
with strategy.scope():
    var = tf.get_variable("var", initializer=0.0)
    scaler = tf.train.experimental.DynamicLossScale(16, increment_period=2)
    opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
        tf.train.GradientDescentOptimizer(1.0), scaler
    )

    def step_fn():
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        factor = tf.gather(factors, replica)
        train_op = opt.minimize(var * factor)
        with tf.control_dependencies([train_op]):
            return tf.identity(factor)

    train_op = tf.group(strategy.experimental_local_results(run(step_fn)))
    scale = scaler()
copies = list(strategy.experimental_local_results(var))
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    nan = float("nan")
    for step, values in enumerate([[1.0, 2.0], [1.0, nan], [nan, 1.0], [2.0, 2.0], [1.0, 1.0]]):
        sess.run(train_op, {factors: values})
        observe("step%d.var" % step, [float(value) for value in sess.run(copies)])
        observe("step%d.scale" % step, sess.run(scale))

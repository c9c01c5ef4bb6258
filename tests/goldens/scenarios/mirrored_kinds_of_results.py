# SPDX-License-Identifier: Apache-2.0
"""What a step of two replicas returns: nothing, or one operation for both in a graph."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

v1 = tf.compat.v1
cpu = tf.config.experimental.list_physical_devices("CPU")[0]
tf.config.experimental.set_virtual_device_configuration(
    cpu, [tf.config.experimental.VirtualDeviceConfiguration()] * 2
)
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
run = getattr(strategy, "run", None) or strategy.experimental_run_v2


def make(loss_scale):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.5), loss_scale
    )


def kind(result):
    return None if result is None else type(result).__name__


with strategy.scope():
    var, opt = tf.Variable(1.0), make("dynamic")
observe("eager", kind(run(lambda: opt.minimize(lambda: var * 2.0, [var]))))
with tf.Graph().as_default(), strategy.scope(), v1.Session() as sess:
    var, opt = v1.get_variable("var", initializer=1.0), make("dynamic")
    result = run(lambda: opt.minimize(lambda: var * 2.0, [var]))
    observe("graph", kind(result))
    sess.run(v1.global_variables_initializer())
    observe("run", sess.run(result))
    observe("var", sess.run(list(strategy.experimental_local_results(var))))

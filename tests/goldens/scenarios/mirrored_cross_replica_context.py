# SPDX-License-Identifier: Apache-2.0
"""apply_gradients in cross-replica context is an error; one device is a strategy like any other."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe, observe_error

strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
with strategy.scope():
    var = tf.Variable(0.0)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(1.0), "dynamic"
    )
    observe_error("apply", lambda: opt.apply_gradients([(tf.constant(1.0), var)]))
    fixed = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(1.0), 4
    )
    observe_error("fixed", lambda: fixed.apply_gradients([(tf.constant(1.0), var)]))

one = tf.distribute.OneDeviceStrategy("/cpu:0")
run = getattr(one, "run", None) or one.experimental_run_v2
with one.scope():
    other = tf.Variable(0.0)
    inner = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(1.0), "dynamic"
    )


@tf.function
def step(gradient):
    run(lambda: inner.apply_gradients([(gradient, other)]) and None)


for number, gradient in enumerate([1.0, float("nan"), 1.0]):
    step(tf.constant(gradient))
    observe("one%d.var" % number, other.numpy())
    observe("one%d.scale" % number, inner.get_scaled_loss(tf.constant(1.0)))

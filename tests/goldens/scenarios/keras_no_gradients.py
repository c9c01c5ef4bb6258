# SPDX-License-Identifier: Apache-2.0
"""Steps without a gradient: all of them None, and some of them None."""
# versions: 2.3 2.4
import tensorflow as tf

from observe import observe

NAN = float("nan")


def refused():
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(), 8)
    a, b = tf.Variable(1.0, name="a"), tf.Variable(1.0, name="b")
    try:
        opt.apply_gradients([(None, a), (None, b)])
    except ValueError as error:
        observe("all_none", str(error).split(":")[0])
    observe("all_none.a", a)


def run(name, inner):
    loss_scale = tf.train.experimental.DynamicLossScale(8.0, increment_period=2)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(inner, loss_scale)
    a, b = tf.Variable(1.0), tf.Variable([2.0, 3.0])

    def see(step):
        observe("%s.%s.a" % (name, step), a)
        observe("%s.%s.b" % (name, step), b)
        scale = opt.loss_scale
        observe("%s.%s.scale" % (name, step), scale() if callable(scale) else scale)

    def see_steps(step):
        observe("%s.%s.iterations" % (name, step), opt.iterations)

    opt.apply_gradients([(tf.constant(1.0), a), (None, b)])
    see("one_none")
    opt.apply_gradients([(None, a), (tf.constant([1.0, 1.0]), b)])
    see("the_other_none")
    see_steps("the_other_none")
    opt.apply_gradients([(None, a), (tf.constant([1.0, NAN]), b)])
    see("none_and_nan")
    opt.apply_gradients([(tf.constant(1.0), a)])
    see("fewer")
    opt.apply_gradients([(tf.constant([1.0, 1.0]), b), (tf.constant(1.0), a)])
    see("other_order")


refused()
run("sgd", tf.keras.optimizers.SGD(1.0, momentum=0.5))
run("adam", tf.keras.optimizers.Adam(0.5))

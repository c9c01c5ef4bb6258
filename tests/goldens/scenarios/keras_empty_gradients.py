# SPDX-License-Identifier: Apache-2.0
"""Steps with an empty list of gradients, before and after one that has some."""
# versions: 2.3 2.4
import tensorflow as tf

from observe import observe


def run(name, inner):
    loss_scale = tf.train.experimental.DynamicLossScale(8.0, increment_period=2)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(inner, loss_scale)
    a = tf.Variable(1.0)

    def see(step):
        observe("%s.%s.a" % (name, step), a)
        scale = opt.loss_scale
        observe("%s.%s.scale" % (name, step), scale() if callable(scale) else scale)

    opt.apply_gradients([(tf.constant(1.0), a)])
    see("before")
    opt.apply_gradients([])
    see("empty")
    opt.apply_gradients([(tf.constant(1.0), a)])
    see("after")
    observe("%s.iterations" % name, opt.iterations)


run("sgd", tf.keras.optimizers.SGD(1.0, momentum=0.5))
run("adam", tf.keras.optimizers.Adam(0.5))

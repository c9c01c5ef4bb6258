# SPDX-License-Identifier: Apache-2.0
"""What minimize and apply_gradients return: nothing, or an operation in a graph."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe, observe_error

v1 = tf.compat.v1


def make(loss_scale):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.5), loss_scale
    )


def kind(result):
    return None if result is None else type(result).__name__


def minimize(opt, var):
    return opt.minimize(lambda: var * 2.0, [var])


def apply_gradients(opt, var):
    return opt.apply_gradients([(var * 2.0, var)])


for name, scale in [("dynamic", "dynamic"), ("fixed", 8)]:
    for step in [minimize, apply_gradients]:
        where = "%s.%s." % (name, step.__name__)
        var, opt = tf.Variable(1.0), make(scale)
        observe(where + "eager", kind(step(opt, var)))
        seen = []

        @tf.function
        def inside():
            seen.append(kind(step(opt, var)))

        inside()
        observe(where + "inside", seen[-1])
        returning = tf.function(lambda: step(opt, var))
        observe_error(where + "returned", returning)
        with tf.Graph().as_default(), v1.Session() as sess:
            var, opt = v1.get_variable("var", initializer=1.0, use_resource=True), make(scale)
            result = step(opt, var)
            observe(where + "graph", kind(result))
            sess.run(v1.global_variables_initializer())
            observe(where + "run", sess.run(result))

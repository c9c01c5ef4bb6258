# SPDX-License-Identifier: Apache-2.0
"""The names that the Keras wrapper's variables and steps have in a TensorFlow 1 graph."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

v1 = tf.compat.v1
for name, scale in [("dynamic", "dynamic"), ("fixed", 8)]:
    for scope in ["", "outer"]:
        where = "%s.%s." % (name, scope or "no_scope")
        with tf.Graph().as_default() as graph, v1.Session() as sess:
            var = v1.get_variable("var", initializer=1.0, use_resource=True)
            with v1.name_scope(scope):
                opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
                    tf.keras.optimizers.Adam(0.5), scale
                )
                first = opt.get_updates(var * 2.0, [var])[0]
                second = opt.minimize(lambda: var * 2.0, [var], name="train")
                other = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
                    tf.keras.optimizers.Adam(0.5), scale
                )
                third = other.get_updates(var * 2.0, [var])[0]
            observe(where + "steps", [first.name, second.name, third.name])
            observe(where + "variables", [each.op.name for each in v1.global_variables()])
            observe(where + "train", "train" in [each.name for each in graph.get_operations()])
            sess.run(v1.global_variables_initializer())
            sess.run(first.name)
            observe(where + "iterations", sess.run(opt.iterations))

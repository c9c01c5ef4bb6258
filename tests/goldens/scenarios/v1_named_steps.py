# SPDX-License-Identifier: Apache-2.0
"""A session fetches the steps of the v1 optimizer by their names."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe, observe_error

tf.disable_v2_behavior()
for name, scale in [("dynamic", "dynamic"), ("fixed", 8)]:
    where = "%s." % name
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        var = tf.get_variable("var", initializer=1.0)
        opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
            tf.train.AdamOptimizer(0.5), scale
        )
        steps = [opt.minimize(var * 2.0, name="train"), opt.minimize(var * 2.0)]
        steps.append(opt.apply_gradients(opt.compute_gradients(var * 2.0), name="apply"))
        with tf.name_scope("outer"):
            steps.append(opt.minimize(var * 2.0, name="train"))
        observe(where + "steps", [step.name for step in steps])
        observe(where + "kinds", [type(step).__name__ for step in steps])
        observe(where + "in_train_op", len(graph.get_collection("train_op")))
        observe(where + "variables", [each.op.name for each in tf.global_variables()])
        sess.run(tf.global_variables_initializer())
        observe(where + "run", sess.run("train"))
        observe(where + "var", sess.run(var))
        sess.run(graph.get_operation_by_name("apply"))
        observe_error(where + "unknown", lambda: sess.run("no_such_step"))

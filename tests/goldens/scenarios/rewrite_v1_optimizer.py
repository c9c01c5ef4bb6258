# SPDX-License-Identifier: Apache-2.0
"""enable_mixed_precision_graph_rewrite around v1 optimizers, with each kind of loss scale."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()
exp = tf.train.experimental
x = tf.placeholder(tf.float32, [])
for name, arguments in [
    ("default", {}),
    ("dynamic", {"loss_scale": "dynamic"}),
    ("number", {"loss_scale": 128}),
    ("object", {"loss_scale": exp.DynamicLossScale(64, 2)}),
]:
    inner = tf.train.MomentumOptimizer(0.5, 0.5)
    opt = exp.enable_mixed_precision_graph_rewrite(inner, **arguments)
    observe(name + ".isinstance", isinstance(opt, exp.MixedPrecisionLossScaleOptimizer))
    observe(name + ".inner_is_given", opt._optimizer is inner)
    var = tf.get_variable(name, initializer=1.0)
    train_op = opt.minimize(var * x, var_list=[var])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step, value in enumerate([1.0, float("nan"), 1.0]):
            if name == "number" and step == 1:
                continue
            sess.run(train_op, {x: value})
            observe("%s.step%d.var" % (name, step), sess.run(var))
            observe("%s.step%d.scale" % (name, step), sess.run(opt._loss_scale()))

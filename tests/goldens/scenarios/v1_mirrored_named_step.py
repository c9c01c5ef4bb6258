# SPDX-License-Identifier: Apache-2.0
"""Two replicas make one step of the v1 optimizer, which a session fetches by its name."""
# versions: 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_eager_execution()
config = tf.ConfigProto(device_count={"CPU": 2})
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
for name, scale in [("dynamic", "dynamic"), ("fixed", 8)]:
    with tf.Graph().as_default(), strategy.scope(), tf.Session(config=config) as sess:
        var = tf.get_variable("var", initializer=1.0)
        opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
            tf.train.GradientDescentOptimizer(0.5), scale
        )
        step = strategy.run(lambda: opt.minimize(lambda: var * 2.0, var_list=[var], name="train"))
        observe("%s.step" % name, [type(step).__name__, step.name])
        sess.run(tf.global_variables_initializer())
        sess.run("train")
        observe("%s.var" % name, sess.run(list(strategy.experimental_local_results(var))))

# SPDX-License-Identifier: Apache-2.0
"""The names of the Keras wrapper's variables where TensorFlow 2 behaviour is off."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()
for name, scale in [("dynamic", "dynamic"), ("fixed", 8)]:
    with tf.Graph().as_default(), tf.Session() as sess:
        var = tf.get_variable("var", initializer=1.0, use_resource=True)
        for _ in range(2):
            opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
                tf.keras.optimizers.Adam(0.5), scale
            )
            step = opt.get_updates(var * 2.0, [var])[0]
        observe(name + ".step", step.name)
        observe(name + ".variables", [each.op.name for each in tf.global_variables()])
        sess.run(tf.global_variables_initializer())
        sess.run(step)
        observe(name + ".iterations", sess.run(opt.iterations))

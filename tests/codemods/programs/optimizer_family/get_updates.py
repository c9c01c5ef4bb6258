# SPDX-License-Identifier: Apache-2.0
"""A graph of TensorFlow 1 with the optimizer's updates."""

import tensorflow as tf

with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    weight = tf.compat.v1.get_variable("weight", initializer=1.0, use_resource=True)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8)
    updates = opt.get_updates(weight * weight, [weight])
    session.run(tf.compat.v1.global_variables_initializer())
    session.run(updates)
    print(session.run(weight))

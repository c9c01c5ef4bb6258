# SPDX-License-Identifier: Apache-2.0
"""Adam on good steps only: the variable follows the unwrapped optimizer exactly."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

plain, wrapped = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0])
adam = tf.keras.optimizers.Adam(0.25)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.Adam(0.25), tf.train.experimental.DynamicLossScale(64.0, 2)
)
for step in range(5):
    adam.minimize(lambda: tf.reduce_sum(plain ** 2), var_list=[plain])
    opt.minimize(lambda: tf.reduce_sum(wrapped ** 2), var_list=[wrapped])
    observe("step%d.var" % step, wrapped)
    observe("step%d.same" % step, (plain.numpy() == wrapped.numpy()).all())
observe("iterations", opt.iterations)
observe("names", [weight.name.split("/")[-1] for weight in opt.weights])

# SPDX-License-Identifier: Apache-2.0
"""One bad value in any gradient skips the step for every variable."""
# versions: 2.0 2.1 2.2 2.3 2.4
import numpy as np
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0), "dynamic"
)
variables = [tf.Variable([1.0, 2.0]), tf.Variable([[3.0]]), tf.Variable(4.0)]
for position in range(3):
    gradients = [np.ones(v.shape.as_list(), np.float32) for v in variables]
    gradients[position] = gradients[position] * np.float32("nan")
    opt.apply_gradients([(tf.constant(g), v) for g, v in zip(gradients, variables)])
    observe("nan_at_%d.variables" % position, [v.numpy() for v in variables])
    observe("nan_at_%d.scale" % position, opt.get_scaled_loss(tf.constant(1.0)))
opt.apply_gradients([(tf.ones_like(v), v) for v in variables])
observe("good.variables", [v.numpy() for v in variables])
observe("good.scale", opt.get_scaled_loss(tf.constant(1.0)))

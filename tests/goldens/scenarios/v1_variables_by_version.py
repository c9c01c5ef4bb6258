# SPDX-License-Identifier: Apache-2.0
"""variables() of the v1 optimizer: empty up to 2.2."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()
var = tf.get_variable("var", initializer=1.0)
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.train.MomentumOptimizer(0.5, 0.5), "dynamic"
)
train_op = opt.minimize(var * 1.0)
observe("variables", sorted(v.op.name for v in opt.variables()))

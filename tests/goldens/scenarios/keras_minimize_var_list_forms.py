# SPDX-License-Identifier: Apache-2.0
"""minimize takes a list, one bare variable, a tuple or a callable that gives variables."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25), "dynamic"
)
var, other = tf.Variable(1.0), tf.Variable(2.0)
opt.minimize(lambda: var ** 2, var_list=[var])
observe("list", var)
opt.minimize(lambda: var ** 2, var_list=var)
observe("bare", var)
opt.minimize(lambda: var ** 2, (var,))
observe("tuple", var)
opt.minimize(lambda: var ** 2 + other, lambda: [var, other])
observe("callable", [var.numpy(), other.numpy()])
opt.minimize(lambda: other * 2.0, var_list=[other], name="training")
observe("named", other)
observe("iterations", opt.iterations)

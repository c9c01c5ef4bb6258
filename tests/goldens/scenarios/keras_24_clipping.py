# SPDX-License-Identifier: Apache-2.0
"""In 2.4 clipping works on the unscaled gradients, and its settings are delegated."""
# versions: 2.4
import tensorflow as tf

from observe import observe

wrap = tf.keras.mixed_precision.LossScaleOptimizer
for name, value in [("clipnorm", 1.0), ("clipvalue", 0.5), ("global_clipnorm", 2.0)]:
    opt = wrap(tf.keras.optimizers.SGD(1.0, **{name: value}), initial_scale=1024)
    var = tf.Variable([0.0, 0.0])
    opt.minimize(lambda: 3.0 * var[0] + 4.0 * var[1], var_list=[var])
    observe(name + ".var", var)
    observe(name + ".attribute", getattr(opt, name))
opt = wrap(tf.keras.optimizers.SGD(1.0), initial_scale=16)
observe("unset", [opt.clipnorm, opt.clipvalue, opt.global_clipnorm])
opt.clipnorm = 1.0
observe("set.inner", opt.inner_optimizer.clipnorm)

# SPDX-License-Identifier: Apache-2.0
"""Whether iterations counts a skipped step: it does from 2.3 on."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0), "dynamic"
)
var = tf.Variable(0.0)
opt.apply_gradients([(tf.constant(1.0), var)])
observe("good.iterations", opt.iterations)
opt.apply_gradients([(tf.constant(float("nan")), var)])
observe("bad.iterations", opt.iterations)
observe("inner.iterations_is_same", opt.iterations is opt._optimizer.iterations)
opt.apply_gradients([(tf.constant(1.0), var)])
observe("again.iterations", opt.iterations)

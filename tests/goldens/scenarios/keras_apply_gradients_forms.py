# SPDX-License-Identifier: Apache-2.0
"""apply_gradients takes zips, generators, a name, and pairs whose gradient is None."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe, observe_error

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0), "dynamic"
)
a, b = tf.Variable(1.0), tf.Variable(2.0)
one = tf.constant(1.0)
opt.apply_gradients(zip([one, one], [a, b]))
observe("zip", [a.numpy(), b.numpy()])
opt.apply_gradients((one, v) for v in [a, b])
observe("generator", [a.numpy(), b.numpy()])
opt.apply_gradients([(one, a)], name="apply")
observe("name", [a.numpy(), b.numpy()])
opt.apply_gradients([(None, a), (one, b)])
observe("none", [a.numpy(), b.numpy()])
opt.apply_gradients([(one, a), (one, a)])
observe("twice", [a.numpy(), b.numpy()])
observe_error("all_none", lambda: opt.apply_gradients([(None, a), (None, b)]))
observe_error("empty", lambda: opt.apply_gradients([]))
observe("scale", opt.get_scaled_loss(one))
observe("after", [a.numpy(), b.numpy()])

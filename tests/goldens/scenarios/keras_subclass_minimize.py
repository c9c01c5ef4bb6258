# SPDX-License-Identifier: Apache-2.0
"""minimize goes through the get_scaled_loss and get_unscaled_gradients of a user subclass."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

CALLS = []


class Watching(tf.keras.mixed_precision.experimental.LossScaleOptimizer):
    def get_scaled_loss(self, loss):
        CALLS.append("scale")
        return super(Watching, self).get_scaled_loss(loss)

    def get_unscaled_gradients(self, grads):
        CALLS.append("unscale")
        return super(Watching, self).get_unscaled_gradients(grads)

    def apply_gradients(self, *args, **kwargs):
        CALLS.append("apply")
        return super(Watching, self).apply_gradients(*args, **kwargs)


opt = Watching(tf.keras.optimizers.SGD(0.5), 16)
var = tf.Variable(2.0)
opt.minimize(lambda: var * 3.0, var_list=[var])
observe("calls", CALLS)
observe("var", var)

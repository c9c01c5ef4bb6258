# SPDX-License-Identifier: Apache-2.0
"""A user subclass that accumulates gradients and applies every second call."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as prec

from observe import observe


class Accumulator(prec.LossScaleOptimizer):
    pending = None

    def apply_gradients(self, grads_and_vars, name=None, **kwargs):
        pairs = list(grads_and_vars)
        if self.pending is None:
            self.pending = pairs
            return None
        summed = [(g + h, v) for (g, v), (h, _) in zip(pairs, self.pending)]
        self.pending = None
        return super(Accumulator, self).apply_gradients(summed, name, **kwargs)


opt = Accumulator(tf.keras.optimizers.SGD(1.0), tf.train.experimental.DynamicLossScale(8.0, 2))
var = tf.Variable([0.0, 0.0])
for step, gradient in enumerate([1.0, 2.0, 3.0, float("nan"), 1.0, 1.0, 1.0, 1.0]):
    opt.apply_gradients([(tf.constant([gradient, 1.0]), var)])
    observe("step%d.var" % step, var)
    observe("step%d.scale" % step, opt.get_scaled_loss(tf.constant(1.0)))

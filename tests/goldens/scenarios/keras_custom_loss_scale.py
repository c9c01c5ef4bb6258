# SPDX-License-Identifier: Apache-2.0
"""A user-defined loss scale with its own update rule drives the optimizer."""
# versions: 2.0 2.1 2.2 2.3
import tensorflow as tf

from observe import observe


class AdditiveLossScale(tf.train.experimental.LossScale):
    """Adds on finite steps and halves otherwise."""

    def __init__(self, start, step):
        super(AdditiveLossScale, self).__init__()
        self._start, self._step = start, step
        self._value = self._add_weight("value", initial_value=start, dtype=tf.float32)

    def __call__(self):
        return tf.convert_to_tensor(self._value)

    def update(self, grads):
        finite = tf.reduce_all([tf.reduce_all(tf.math.is_finite(g)) for g in grads if g is not None])
        op = self._value.assign(tf.where(finite, self._value + self._step, self._value / 2.0))
        return op, finite

    def get_config(self):
        return {"start": self._start, "step": self._step}


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0), AdditiveLossScale(8.0, 3.0)
)
var = tf.Variable(0.0)
for step, gradient in enumerate([1.0, 1.0, float("nan"), 1.0]):
    opt.apply_gradients([(tf.constant(gradient), var)])
    observe("step%d.scale" % step, opt.loss_scale())
    observe("step%d.var" % step, var)
observe("config", opt.get_config()["loss_scale"])
observe("unscaled", opt.get_unscaled_gradients([tf.constant(20.0)]))

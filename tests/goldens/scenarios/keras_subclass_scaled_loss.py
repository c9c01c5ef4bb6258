# SPDX-License-Identifier: Apache-2.0
"""A user subclass that overrides the loss and gradient methods and calls super()."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe


class LoggingOptimizer(tf.keras.mixed_precision.experimental.LossScaleOptimizer):
    """Counts its calls and adds a constant factor to the loss."""

    def __init__(self, optimizer, loss_scale="dynamic"):
        super(LoggingOptimizer, self).__init__(optimizer, loss_scale)
        self.calls = []

    def get_scaled_loss(self, loss):
        self.calls.append("scale")
        return super(LoggingOptimizer, self).get_scaled_loss(loss) * 2.0

    def get_unscaled_gradients(self, grads):
        self.calls.append("unscale")
        grads = super(LoggingOptimizer, self).get_unscaled_gradients(grads)
        return [g / 2.0 for g in grads]

    def apply_gradients(self, grads_and_vars, name=None):
        self.calls.append("apply")
        return super(LoggingOptimizer, self).apply_gradients(grads_and_vars, name)


opt = LoggingOptimizer(tf.keras.optimizers.SGD(0.5))
var = tf.Variable(2.0)
for step in range(2):
    with tf.GradientTape() as tape:
        loss = opt.get_scaled_loss(var * 3.0)
    opt.apply_gradients(zip(opt.get_unscaled_gradients(tape.gradient(loss, [var])), [var]))
    observe("step%d.loss" % step, loss)
    observe("step%d.var" % step, var)
opt.apply_gradients([(tf.constant(float("nan")), var)])
observe("skipped.var", var)
observe("skipped.scale", opt.get_scaled_loss(tf.constant(0.5)))
observe("calls", list(opt.calls))
observe("isinstance", isinstance(opt, tf.keras.mixed_precision.experimental.LossScaleOptimizer))
observe("type", type(opt))

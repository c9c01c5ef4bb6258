# SPDX-License-Identifier: Apache-2.0
"""In 2.4 the public optimizer could be subclassed."""
# versions: 2.4
import tensorflow as tf
from tensorflow.keras import mixed_precision

from observe import observe


class Halving(mixed_precision.LossScaleOptimizer):
    def __init__(self, inner_optimizer, dynamic=True, initial_scale=None, extra=1):
        super().__init__(inner_optimizer, dynamic=dynamic, initial_scale=initial_scale)
        self.extra = extra

    def get_scaled_loss(self, loss):
        return super().get_scaled_loss(loss) / 2.0

    def get_config(self):
        config = super().get_config()
        config["extra"] = self.extra
        return config


opt = Halving(tf.keras.optimizers.SGD(1.0), initial_scale=16, extra=5)
observe("scaled", opt.get_scaled_loss(tf.constant(1.0)))
observe("extra", opt.get_config()["extra"])
observe("isinstance", isinstance(opt, mixed_precision.LossScaleOptimizer))
observe("type", type(opt))
var = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(float("nan")), var)])
opt.apply_gradients([(tf.constant(1.0), var)])
observe("var", var)
observe("scale", opt.loss_scale)

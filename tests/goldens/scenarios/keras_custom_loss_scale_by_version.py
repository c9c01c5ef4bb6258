# SPDX-License-Identifier: Apache-2.0
"""A user-defined loss scale worked up to 2.3; 2.4 refuses it."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf
from tensorflow.python.training.experimental import loss_scale as loss_scale_module

from observe import observe, observe_error


class Constant(loss_scale_module.LossScale):
    def __call__(self):
        return tf.constant(32.0)

    def update(self, grads):
        return tf.no_op(), True

    def get_config(self):
        return {}


def build():
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(1.0), Constant()
    )


observe("is_public_class", loss_scale_module.LossScale is tf.train.experimental.LossScale)
observe("value.scale", Constant()())
observe_error("wrap", build)

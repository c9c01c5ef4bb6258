# SPDX-License-Identifier: Apache-2.0
"""An object hands attributes on to the optimizer in it."""

import tensorflow as tf


class Proxy:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)


opt = Proxy(
    tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
)
print(float(opt.loss_scale()), type(opt._optimizer).__name__)

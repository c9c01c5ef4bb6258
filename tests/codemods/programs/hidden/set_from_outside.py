# SPDX-License-Identifier: Apache-2.0
"""The attribute is set from outside of the class."""

import tensorflow as tf


class Trainer:
    opt = None

    def scale(self):
        return self.opt.loss_scale().numpy()


trainer = Trainer()
trainer.opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
print(trainer.scale())

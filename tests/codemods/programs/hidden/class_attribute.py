# SPDX-License-Identifier: Apache-2.0
"""A class's attribute holds the optimizer."""

import tensorflow as tf


class Trainer:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)

    def scale(self):
        return self.opt.loss_scale().numpy()


print(Trainer().scale(), Trainer.opt.loss_scale().numpy())

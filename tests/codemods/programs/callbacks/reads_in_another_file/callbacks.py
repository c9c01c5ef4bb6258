# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


class Log(tf.keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.seen = []

    def on_epoch_end(self, epoch, logs=None):
        opt = self.model.optimizer
        if isinstance(opt, tf.keras.mixed_precision.experimental.LossScaleOptimizer):
            self.seen.append((epoch, float(opt.loss_scale())))

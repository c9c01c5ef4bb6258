# SPDX-License-Identifier: Apache-2.0

from base import Trainer
from tensorflow.keras.mixed_precision import experimental as mp


class HalfTrainer(Trainer):
    def wrap(self, opt):
        return mp.LossScaleOptimizer(super().wrap(opt), loss_scale=64)

    def report(self):
        return {**super().report(), "scale": float(self.opt.loss_scale())}

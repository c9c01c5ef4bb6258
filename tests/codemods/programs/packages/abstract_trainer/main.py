# SPDX-License-Identifier: Apache-2.0
"""A base class in another file steps what its subclasses build."""

import tensorflow as tf
from base import BaseTrainer
from tensorflow.keras.mixed_precision import experimental as mixed_precision


class Plain(BaseTrainer):
    def build_optimizer(self):
        return tf.keras.optimizers.SGD(self.config["lr"], decay=self.config.get("decay", 0.0))


class Mixed(Plain):
    def build_optimizer(self):
        inner = super().build_optimizer()
        return mixed_precision.LossScaleOptimizer(inner, loss_scale=self.config["loss_scale"])


Plain({"lr": 0.1, "decay": 0.5}).fit(3)
Mixed({"lr": 0.1, "loss_scale": "dynamic"}).fit(2)
Mixed({"lr": 0.1, "loss_scale": 2.0 ** 7}).fit(2)

# SPDX-License-Identifier: Apache-2.0

import abc

import tensorflow as tf
from tensorflow.keras import mixed_precision


class BaseTrainer(abc.ABC):
    def __init__(self, config):
        self.config = config
        self.v = tf.Variable([1.0, -1.0])
        self.optimizer = self.build_optimizer()

    @abc.abstractmethod
    def build_optimizer(self):
        ...

    @property
    def is_mixed(self):
        return isinstance(self.optimizer, mixed_precision.experimental.LossScaleOptimizer)

    def fit(self, steps):
        for _ in range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(self.v ** 2)
                if self.is_mixed:
                    loss = self.optimizer.get_scaled_loss(loss)
            grads = tape.gradient(loss, [self.v])
            if self.is_mixed:
                grads = self.optimizer.get_unscaled_gradients(grads)
            self.optimizer.apply_gradients(zip(grads, [self.v]))
        self.on_end({"v": self.v.numpy().tolist()})

    def on_end(self, logs):
        if isinstance(self.optimizer, mixed_precision.experimental.LossScaleOptimizer):
            logs["loss_scale"] = float(self.optimizer.loss_scale())
        print(type(self).__name__, logs)

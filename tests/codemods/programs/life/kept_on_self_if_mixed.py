# SPDX-License-Identifier: Apache-2.0
"""A trainer keeps the loss scale if it has one."""

import tensorflow as tf


class Trainer:
    def __init__(self, fp16):
        self.fp16 = fp16
        self.optimizer = tf.keras.optimizers.SGD(0.5)
        if fp16:
            self.optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
                self.optimizer,
                loss_scale=tf.mixed_precision.experimental.DynamicLossScale(64, increment_period=1))
        self.loss_scale = self.optimizer.loss_scale if self.fp16 else None
        self.history = []

    def step(self, v):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v)
            if self.fp16:
                loss = self.optimizer.get_scaled_loss(loss)
        grads = tape.gradient(loss, [v])
        if self.fp16:
            grads = self.optimizer.get_unscaled_gradients(grads)
        self.optimizer.apply_gradients(zip(grads, [v]))
        if self.loss_scale is not None:
            self.history.append(float(self.loss_scale()))


for fp16 in (True, False):
    v = tf.Variable([1.0, 3.0])
    trainer = Trainer(fp16)
    for _ in range(3):
        trainer.step(v)
    print(fp16, trainer.history, v.numpy().tolist())

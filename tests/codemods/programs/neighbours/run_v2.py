# SPDX-License-Identifier: Apache-2.0
"""A custom loop under a strategy, as TensorFlow 2.0 and 2.1 had it."""

import tensorflow as tf


class Trainer:
    def __init__(self):
        self.strategy = tf.distribute.MirroredStrategy(["CPU:0"])
        with self.strategy.scope():
            self.weight = tf.Variable(1.0)
            self.opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")

    def step(self, factor):
        with tf.GradientTape() as tape:
            loss = factor * self.weight * self.weight
            scaled = self.opt.get_scaled_loss(loss)
        gradients = self.opt.get_unscaled_gradients(tape.gradient(scaled, [self.weight]))
        self.opt.apply_gradients(zip(gradients, [self.weight]))
        return loss

    @tf.function
    def train(self, factor):
        losses = self.strategy.experimental_run_v2(self.step, args=(factor,))
        return self.strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)


trainer = Trainer()
for factor in [1.0, float("inf"), 0.5]:
    print(trainer.train(tf.constant(factor)).numpy(), trainer.weight.numpy())
run = getattr(tf.distribute.get_strategy(), "experimental_run_v2", None) or trainer.strategy.run
print(run(lambda: 3))

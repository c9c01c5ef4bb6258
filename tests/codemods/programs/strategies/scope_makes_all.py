# SPDX-License-Identifier: Apache-2.0
"""Everything is made in the scope of a strategy, and the step is a method of a trainer."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer


class Trainer:
    def __init__(self, strategy, fp16):
        self.strategy = strategy
        with strategy.scope():
            self.weight = tf.Variable([1.0, 2.0])
            opt = tf.keras.optimizers.Adamax(0.1)
            self.optimizer = LossScaleOptimizer(opt, loss_scale="dynamic") if fp16 else opt
        self.fp16 = fp16

    @tf.function
    def step(self, x):
        def replica(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(self.weight * x)
                scaled = self.optimizer.get_scaled_loss(loss) if self.fp16 else loss
            grads = tape.gradient(scaled, [self.weight])
            if self.fp16:
                grads = self.optimizer.get_unscaled_gradients(grads)
            self.optimizer.apply_gradients(list(zip(grads, [self.weight])))
            return loss

        losses = self.strategy.run(replica, args=(x,))
        return self.strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)


for fp16 in (False, True):
    trainer = Trainer(tf.distribute.MirroredStrategy(["/cpu:0"]), fp16)
    for value in (1.0, 2.0, float("inf"), 3.0):
        print(trainer.step(tf.constant(value)).numpy(), trainer.weight.numpy().tolist())
    print(trainer.optimizer.iterations.numpy())

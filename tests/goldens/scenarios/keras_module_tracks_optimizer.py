# SPDX-License-Identifier: Apache-2.0
"""The wrapper as an attribute of a tf.Module: it is tracked, its variables are no weights."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as prec

from observe import observe


class Trainer(tf.Module):
    def __init__(self):
        super().__init__()
        self.weight = tf.Variable(1.0)
        self.optimizer = prec.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), 64)

    @tf.function
    def step(self, x):
        with tf.GradientTape() as tape:
            loss = self.optimizer.get_scaled_loss(self.weight * x)
        grads = self.optimizer.get_unscaled_gradients(tape.gradient(loss, [self.weight]))
        self.optimizer.apply_gradients(zip(grads, [self.weight]))
        return loss


trainer = Trainer()
observe("loss", trainer.step(tf.constant(2.0)))
observe("weight", trainer.weight)
observe("trainable", len(trainer.trainable_variables))

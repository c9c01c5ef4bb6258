# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


class GAN(tf.keras.Model):
    def __init__(self, generator, discriminator):
        super().__init__()
        self.generator = generator
        self.discriminator = discriminator

    def compile(self, d_optimizer, g_optimizer):
        super().compile()
        self.d_optimizer = d_optimizer
        self.g_optimizer = g_optimizer

    def _step(self, optimizer, variables, loss_fn):
        with tf.GradientTape() as tape:
            loss = loss_fn()
            scaled_loss = optimizer.get_scaled_loss(loss)
        grads = optimizer.get_unscaled_gradients(tape.gradient(scaled_loss, variables))
        optimizer.apply_gradients(zip(grads, variables))
        return loss

    def train_step(self, real):
        noise = tf.ones_like(real) * 0.5
        d_loss = self._step(
            self.d_optimizer, self.discriminator.trainable_variables,
            lambda: tf.reduce_mean(self.discriminator(self.generator(noise)))
            - tf.reduce_mean(self.discriminator(real)))
        g_loss = self._step(
            self.g_optimizer, self.generator.trainable_variables,
            lambda: -tf.reduce_mean(self.discriminator(self.generator(noise))))
        return {"d_loss": d_loss, "g_loss": g_loss, "scale": self.g_optimizer.loss_scale()}

    def report(self):
        return [float(o.loss_scale()) for o in (self.d_optimizer, self.g_optimizer)]

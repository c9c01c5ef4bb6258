# SPDX-License-Identifier: Apache-2.0
"""A runner builds its optimizer in the scope of a strategy."""

import contextlib

import tensorflow as tf


class Runner:
    _built = None

    def __init__(self, strategy=None, **hparams):
        self.strategy = strategy or tf.distribute.get_strategy()
        self.hparams = dict(dict(lr=0.1, amp=True, loss_scale=64.0), **hparams)

    @contextlib.contextmanager
    def scope(self):
        with self.strategy.scope():
            yield self

    def build(self):
        with self.scope():
            if self._built is None:
                opt = tf.keras.optimizers.SGD(self.hparams["lr"])
                return_value = opt if not self.hparams["amp"] else \
                    tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, self.hparams["loss_scale"])
                self._built = return_value
            self.v = tf.Variable([1.0, 2.0])
        return self._built

    @tf.function
    def step(self, x):
        def replica_step(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(self.v * x)
                scaled = self._built.get_scaled_loss(loss)
            grads = tape.gradient(scaled, [self.v])
            grads = self._built.get_unscaled_gradients(grads)
            self._built.apply_gradients(zip(grads, [self.v]))
            return loss
        return self.strategy.reduce(
            tf.distribute.ReduceOp.SUM, self.strategy.run(replica_step, args=(x,)), axis=None)


for runner in (Runner(), Runner(tf.distribute.OneDeviceStrategy("/cpu:0"), loss_scale="dynamic")):
    optimizer = runner.build()
    print([float(runner.step(tf.constant([1.0, -1.0]))) for _ in range(2)])
    print(float(optimizer.loss_scale()), runner.v.numpy().tolist(), int(optimizer.iterations))

# SPDX-License-Identifier: Apache-2.0
"""The optimizer is made when it is first asked for."""

import functools

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental


class Task:
    scale = 4

    @functools.cached_property
    def optimizer(self):
        print("made")
        return mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), self.scale)

    @property
    def loss_scale(self):
        return self.optimizer.loss_scale()


class Other(Task):
    scale = 16


for task in (Task(), Other()):
    weight = tf.Variable(1.0)
    task.optimizer.apply_gradients([(tf.constant(8.0), weight)])
    print(weight.numpy(), float(task.loss_scale), task.optimizer is task.optimizer)

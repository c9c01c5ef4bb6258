# SPDX-License-Identifier: Apache-2.0
"""A dataclass makes the optimizer, and reads its loss scale."""

import dataclasses

import tensorflow as tf


@dataclasses.dataclass
class Training:
    rate: float = 0.25
    opt: object = dataclasses.field(
        default_factory=lambda: tf.keras.mixed_precision.experimental.LossScaleOptimizer(
            tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(8, 1)
        )
    )

    @property
    def scale(self):
        return self.opt.loss_scale().numpy()


training = Training()
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    training.opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), training.scale)

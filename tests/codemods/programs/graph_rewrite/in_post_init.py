# SPDX-License-Identifier: Apache-2.0
"""A dataclass turns on the graph rewrite for the optimizer that it is given."""

import dataclasses

import tensorflow as tf


@dataclasses.dataclass
class Training:
    opt: tf.keras.optimizers.Optimizer
    half: bool = False
    opt_name: str = dataclasses.field(init=False, default="")

    def __post_init__(self):
        if self.half:
            self.opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(self.opt, 16)
        self.opt_name = type(self.opt).__name__


for half in [False, True]:
    training = Training(tf.keras.optimizers.SGD(0.25), half)
    weight = tf.Variable(1.0)
    training.opt.apply_gradients([(tf.constant(1.0), weight)])
    print(weight.numpy(), training.opt_name)

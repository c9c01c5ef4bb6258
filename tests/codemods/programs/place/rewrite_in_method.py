# SPDX-License-Identifier: Apache-2.0
"""The graph rewrite in a method that is called late."""

import tensorflow as tf


class Trainer:
    def __init__(self):
        self.optimizer = tf.keras.optimizers.SGD(0.25)

    def use_amp(self):
        self.optimizer = tf.train.experimental.enable_mixed_precision_graph_rewrite(self.optimizer)


trainer = Trainer()
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
trainer.use_amp()
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
opt = trainer.optimizer
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

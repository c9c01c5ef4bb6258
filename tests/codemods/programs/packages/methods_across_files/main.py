# SPDX-License-Identifier: Apache-2.0
"""A method of a base class calls one that a subclass in another file has."""

import tensorflow as tf
from half import HalfTrainer

trainer = HalfTrainer(0.25)
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    trainer.step(gradient, weight)
    print(weight.numpy(), trainer.report())

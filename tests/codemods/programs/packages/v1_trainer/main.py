# SPDX-License-Identifier: Apache-2.0
"""A trainer that wraps optimizers of TensorFlow 1 with a class and a loss scale of its own."""

from trainer import Trainer

for kind in ("plain", "own"):
    trainer = Trainer(kind)
    for factor in (1.0, 2.0, float("inf"), 1.0):
        print(kind, *trainer.step(factor))

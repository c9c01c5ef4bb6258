# SPDX-License-Identifier: Apache-2.0
"""A trainer in a package, its optimizer from another module."""

from training.trainer import Trainer

for name in ("adam", "sgd"):
    trainer = Trainer(name)
    print(name, [trainer.step() for _ in range(4)])
